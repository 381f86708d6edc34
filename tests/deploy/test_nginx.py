"""nginx itself with the configuration of `deploy/`, before a server that says what reached it."""

import http.client
import json
import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.deploy.files import DEPLOY
from tests.embedded.harness import eventually

HOST = "pitledger.example"
ETAG = '"17"'
WRAPPER = """
{user}
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    gzip on;
    gzip_types application/json;
    gzip_proxied any;
    include {folder}/pitledger.conf;
}}
"""


class Echo(BaseHTTPRequestHandler):
    """Answers with the headers and the size of the body that reached it, long enough to be compressed."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer."""
        size = len(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        body = json.dumps({"headers": dict(self.headers), "size": size, "padding": "0" * 10_000}).encode()
        self.send_response(200)
        self.send_header("ETag", ETAG)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        """Answer."""
        self.do_POST()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def answering() -> Iterator[int]:
    """The server behind; its port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


def certify(folder: Path) -> None:
    """A certificate of its own making, as `chain.pem` and `key.pem`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "chain.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


def free_ports(count: int) -> list[int]:
    """Ports that are different and free."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports


class Front:
    """nginx in front of the server.

    Attributes:
        plain, secure: the ports it listens on.
    """

    def __init__(self, folder: Path, behind: int) -> None:
        self.folder = folder
        self.plain, self.secure = free_ports(2)
        text = (DEPLOY / "nginx" / "pitledger.conf").read_text()
        for before, after in (
            ("/etc/pitledger/tls", str(folder)),
            ("127.0.0.1:8000", f"127.0.0.1:{behind}"),
            ("listen [::]:80;", ""),
            ("listen [::]:443 ssl;", ""),
            ("listen 80;", f"listen 127.0.0.1:{self.plain};"),
            ("listen 443 ssl;", f"listen 127.0.0.1:{self.secure} ssl;"),
        ):
            assert before in text
            text = text.replace(before, after)
        (folder / "pitledger.conf").write_text(text)
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(WRAPPER.format(user=user, folder=folder))
        certify(folder)
        self._context = ssl.create_default_context(cafile=str(folder / "chain.pem"))

    def command(self) -> list[str]:
        """nginx with this configuration."""
        return ["nginx", "-e", f"{self.folder}/error.log", "-c", f"{self.folder}/nginx.conf"]

    def serves(self) -> bool:
        """Whether it listens."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.secure)) == 0

    def ask(
        self, method: str, *, headers: dict[str, str] | None = None, body: bytes = b"", secure: bool = True
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Ask as somebody who found the host by its name."""
        if secure:
            raw = socket.create_connection(("127.0.0.1", self.secure))
            connection = http.client.HTTPConnection(HOST)
            connection.sock = self._context.wrap_socket(raw, server_hostname=HOST)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.plain)
        try:
            connection.request(method, "/api/v1/x?y=1", body, (headers or {}) | {"Host": HOST})
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """nginx, which finds no fault with its configuration, and serves."""
    with answering() as behind:
        found = Front(tmp_path_factory.mktemp("nginx"), behind)
        tested = subprocess.run([*found.command(), "-t"], capture_output=True, text=True, check=False)
        assert tested.returncode == 0, tested.stderr
        assert "[warn]" not in tested.stderr
        running = subprocess.Popen(found.command(), stderr=subprocess.DEVNULL)
        try:
            assert eventually(found.serves)
            yield found
        finally:
            running.terminate()
            running.wait()


def test_what_a_caller_says_of_itself_counts_for_nothing(front: Front) -> None:
    forged = {"X-Forwarded-For": "10.0.0.1", "X-Forwarded-Proto": "http"}
    asked = {"If-Match": ETAG, "Range": "bytes=5-", "If-Range": ETAG, "Accept-Encoding": "gzip"}
    answer, body = front.ask("GET", headers=forged | asked)
    reached = json.loads(body)["headers"]
    assert (reached["X-Forwarded-For"], reached["X-Forwarded-Proto"]) == ("127.0.0.1", "https")
    assert reached["Host"] == HOST
    assert [reached[name] for name in ("If-Match", "Range", "If-Range")] == [ETAG, "bytes=5-", ETAG]
    assert answer.headers["ETag"] == ETAG, "not compressed, so not weak: If-Match needs it"
    assert answer.headers["Strict-Transport-Security"] is None, "Django's to say"


def test_a_body_is_djangos_to_refuse_until_it_can_be_no_mistake(front: Front) -> None:
    answer, body = front.ask("POST", body=b"0" * 300_000)
    assert (answer.status, json.loads(body)["size"]) == (200, 300_000)
    answer, _ = front.ask("POST", body=b"0" * 1_048_577)
    assert answer.status == 413


def test_without_tls_there_is_only_the_way_to_it(front: Front) -> None:
    answer, _ = front.ask("GET", secure=False)
    assert (answer.status, answer.headers["Location"]) == (301, f"https://{HOST}/api/v1/x?y=1")
