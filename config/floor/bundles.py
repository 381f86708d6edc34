"""The demonstration's last step: the day's bundle, left in the home and verified there as an auditor would.

The verifier runs as one file under a bare Python, without our packages and without the environment, against
the log's public keys. What it finds is no opinion of the process that wrote the bundle.
"""

import subprocess
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from audit.bundle.program import write_program
from audit.bundle.scope import Scope
from audit.bundle.write import bundle_write
from config import env
from config.floor.outcome import Bundle
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.seal import seal
from ledger.checkpoints.store import last_checkpoint
from tables.models import Casino

PROGRAM = "pitledger-verify.pyz"
_MODE = 0o700


def bundle_days(casino: Casino, days: Iterable[date], folder: Path) -> dict[date, Bundle]:
    """Write each day's bundle, from its streams' first entries on, beside the verifier, and verify it there.

    Args:
        folder: made if missing.
    """
    keys = KeyStore(env.home())
    seal(keys=keys)
    checkpoint = last_checkpoint()
    assert checkpoint is not None, "a day was played and has just been sealed"
    folder.mkdir(mode=_MODE, parents=True, exist_ok=True)
    write_program(folder / PROGRAM)
    made = {}
    for day in days:
        path = folder / f"{casino.code}-{day.isoformat()}.zip"
        bundle_write(Scope(casino, day, whole=True), checkpoint=checkpoint, keys=keys, path=path)
        made[day] = _verified(path, keys)
    return made


def _verified(path: Path, keys: KeyStore) -> Bundle:
    pinned = [str(one) for one in sorted(keys.public_folder.glob("*.pub"))]
    program = str(path.with_name(PROGRAM))
    done = subprocess.run(  # noqa: S603 - our own program, our own files
        [sys.executable, "-I", "-S", program, str(path), "--key", *pinned],
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (done.stdout or done.stderr).splitlines() or ["it said nothing"]
    return Bundle(path, done.returncode == 0, lines[-1])
