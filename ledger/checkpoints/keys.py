"""The sealer's key: one private file that only the sealer reads, and every public key there ever was.

    <home>/secrets/sealer/key      PRIVATE+KEY+...; mode 0600, never in the database, in no backup of it
    <home>/keys/<id>.pub           one verifier key each; give them to whoever is to check us

Outside production the key is made at the first seal, with fresh randomness; in production by
``manage.py sealer_key create``, so that a lost folder never begins a second log unnoticed. ``rotate`` makes a
new key for the same log: the old private key is gone, its public key stays and verifies what it signed.
"""

import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from config import env
from ledger.checkpoints.files import create_whole, write_whole
from ledger.checkpoints.note import NoteError, SignerKey, VerifierKey, is_name, parse_signer, parse_verifier
from ledger.errors import SealerKeyBad, SealerKeyMissing

_PRIVATE = 0o600
_PUBLIC = 0o644


@dataclass(frozen=True, slots=True)
class KeyStore:
    """The keys under one home.

    Args:
        home: the folder ``PITLEDGER_HOME`` names.
    """

    home: Path

    @property
    def private_file(self) -> Path:
        """Where the private key is."""
        return self.home / "secrets" / "sealer" / "key"

    @property
    def public_folder(self) -> Path:
        """Where the public keys are."""
        return self.home / "keys"

    def signer(self) -> SignerKey:
        """The key to sign with; its public key is published if it was not.

        Raises:
            SealerKeyMissing: there is none, and in production none is invented.
            SealerKeyBad: the file is unreadable, open to others, or holds no key.
        """
        if not self.private_file.exists():
            if env.production():
                raise SealerKeyMissing(f"{self.private_file} is not there; run manage.py sealer_key create")
            self.create()
        signer = self._read()
        self._publish(signer.verifier)
        return signer

    def create(self, name: str = "") -> SignerKey:
        """Make a key, unless there is one; answers the one there is.

        Args:
            name: the log's name; by default one made of fresh randomness.
        """
        env.private_folder(self.private_file.parent)
        made = _fresh(name or f"pitledger.invalid/journal/{secrets.token_hex(8)}")
        create_whole(self.private_file, made.text + "\n", mode=_PRIVATE)
        signer = self._read()
        self._publish(signer.verifier)
        return signer

    def rotate(self) -> SignerKey:
        """Put a new key in the place of the present one, for the same log.

        The new public key is published first: killed in between, there is one public key too many, which
        nothing was signed with.

        Raises:
            SealerKeyMissing, SealerKeyBad: there is no present key.
        """
        if not self.private_file.exists():
            raise SealerKeyMissing("there is no key to rotate")
        old = self._read()
        self._publish(old.verifier)
        made = _fresh(old.name)
        self._publish(made.verifier)
        write_whole(self.private_file, made.text + "\n", mode=_PRIVATE)
        return made

    def verifiers(self) -> list[VerifierKey]:
        """Every public key, the present one and its predecessors.

        Raises:
            SealerKeyBad: a file holds no key.
        """
        return [read_verifier(path) for path in sorted(self.public_folder.glob("*.pub"))]

    def _read(self) -> SignerKey:
        mode = stat.S_IMODE(self.private_file.stat().st_mode)
        if mode & 0o077:
            raise SealerKeyBad(f"{self.private_file} is open to others; chmod 600 it, and think of rotating")
        try:
            return parse_signer(self.private_file.read_text(encoding="utf-8"))
        except (NoteError, UnicodeDecodeError) as exc:
            raise SealerKeyBad(f"{self.private_file}: {exc}") from exc

    def _publish(self, key: VerifierKey) -> None:
        path = self.public_folder / f"{key.id.hex()}.pub"
        if not path.exists():
            env.private_folder(self.public_folder)
            create_whole(path, key.text + "\n", mode=_PUBLIC)


def read_verifier(path: Path) -> VerifierKey:
    """The public key in a file; raises SealerKeyBad."""
    try:
        return parse_verifier(path.read_text(encoding="utf-8"))
    except (NoteError, OSError, UnicodeDecodeError) as exc:
        raise SealerKeyBad(f"{path}: {exc}") from exc


def _fresh(name: str) -> SignerKey:
    if not is_name(name):
        raise SealerKeyBad(f"{name!r} cannot be a log's name: no spaces, no plus signs")
    return SignerKey(name, os.urandom(32))
