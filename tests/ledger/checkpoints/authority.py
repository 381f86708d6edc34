"""A time-stamping authority of the tests' own: `openssl ts` behind HTTP on loopback, and its lies."""

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CONFIG = """
[tsa]
default_tsa = answers
[answers]
serial = {folder}/serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
"""
NOW = datetime.now(UTC)
VALID, OVER = (
    (NOW - timedelta(days=1), NOW + timedelta(days=30)),
    (NOW - timedelta(days=9), NOW - timedelta(days=8)),
)
STAMPING, SERVING = ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.SERVER_AUTH
Pair = tuple[x509.Certificate, ec.EllipticCurvePrivateKey]


def openssl(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    """Run openssl in a folder."""
    return subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


@dataclass
class Authority:
    """The authority. `signer` names the certificate it signs with; `lie` says how it misbehaves."""

    folder: Path
    signer: str = "tsa"
    lie: str = ""
    url: str = ""
    queries: list[bytes] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """The certificate to believe."""
        return self.folder / "ca.pem"

    def make(self) -> None:
        """A root, an honest certificate, one that has expired, one for another purpose, and a stranger's."""
        (self.folder / "openssl.cnf").write_text(CONFIG.format(folder=self.folder))
        ca, other = self._certificate("ca", None), self._certificate("other", None)
        self._certificate("tsa", ca)
        self._certificate("strange", other)
        self._certificate("web", ca, SERVING)
        self._certificate("expired", ca, valid=OVER)

    def _certificate(
        self,
        name: str,
        issuer: Pair | None,
        purpose: x509.ObjectIdentifier = STAMPING,
        valid: tuple[datetime, datetime] = VALID,
    ) -> Pair:
        """A certificate in PEM, with its key; a root where nobody issues it."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = (
            x509.CertificateBuilder(issuer[0].subject if issuer else subject, subject, key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(valid[0])
            .not_valid_after(valid[1])
            .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        )
        if issuer is not None:
            builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=True)
        made = builder.sign(issuer[1] if issuer else key, hashes.SHA256())
        (self.folder / f"{name}.pem").write_bytes(made.public_bytes(Encoding.PEM))
        (self.folder / f"{name}.key").write_bytes(
            key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        )
        return made, key

    def answer(self, query: bytes) -> bytes:
        """A truthful answer by the present signer."""
        (self.folder / "query.tsq").write_bytes(query)
        by = ("-signer", f"{self.signer}.pem", "-inkey", f"{self.signer}.key")
        asked = ("ts", "-reply", "-config", "openssl.cnf", "-queryfile", "query.tsq", *by)
        return openssl(self.folder, *asked).stdout

    def query(self, content: bytes) -> bytes:
        """A query as somebody else would send it, with a nonce of their own."""
        (self.folder / "content").write_bytes(content)
        return openssl(self.folder, "ts", "-query", "-data", "content", "-sha256", "-cert").stdout

    def _signed_by_a_web_server(self, honest: bytes) -> bytes:
        """The same words, signed with a certificate of the same root that is not made for stamping."""
        (self.folder / "honest.tsr").write_bytes(honest)
        openssl(self.folder, "ts", "-reply", "-in", "honest.tsr", "-token_out", "-out", "token")
        openssl(self.folder, "cms", "-verify", "-noverify", "-inform", "DER", "-in", "token", "-out", "words")
        as_words = ("-econtent_type", "1.2.840.113549.1.9.16.1.4", "-nodetach", "-binary", "-md", "sha256")
        by = ("-signer", "web.pem", "-inkey", "web.key", "-cades", "-outform", "DER", "-out", "token")
        openssl(self.folder, "cms", "-sign", "-in", "words", *as_words, *by)
        return openssl(self.folder, "ts", "-reply", "-in", "token", "-token_in").stdout

    def lied(self, query: bytes, note: bytes) -> bytes:
        """What it answers, as `lie` says."""
        if self.lie == "garbage":
            return b"\x30\x03\x02\x01\x00 and more"
        if self.lie == "too long":
            return bytes(200_000)
        if self.lie == "other imprint":
            return self.answer(self.query(b"something else"))
        if self.lie == "other nonce":
            return self.answer(self.query(note))
        if self.lie == "refusal":
            return self.answer(query[:-2])
        honest = self.answer(query)
        if self.lie == "other purpose":
            return self._signed_by_a_web_server(honest)
        return honest[:-8] + bytes(8) if self.lie == "wrong signature" else honest


@contextmanager
def serving(authority: Authority, note: str) -> Iterator[Authority]:
    """The authority on loopback; `note` is what it knows it will be asked about."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers["Content-Length"]))
            authority.queries.append(query)
            answer = authority.lied(query, note.encode())
            self.send_response(503 if authority.lie == "down" else 200)
            kind = "text/html" if authority.lie == "other type" else "application/timestamp-reply"
            self.send_header("Content-Type", kind)
            self.end_headers()
            self._write(answer)

        def _write(self, answer: bytes) -> None:
            try:
                if authority.lie == "trickle":
                    while True:
                        self.wfile.write(b"0")
                        time.sleep(0.05)
                self.wfile.write(answer)
            except OSError:
                return  # whoever asked has lost patience

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    authority.url = f"http://127.0.0.1:{server.server_address[1]}/tsa"
    try:
        yield authority
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
