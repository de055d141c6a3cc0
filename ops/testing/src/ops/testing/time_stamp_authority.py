"""A time stamp authority: `openssl ts` behind an HTTP address."""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Final

import pytest

needs_openssl: Final = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="there is no openssl, which signs these tests' time stamps"
)
_SETTINGS: Final = """
[tsa]
default_tsa = here
[here]
serial = serial
digests = sha256, sha384, sha512
signer_digest = sha256
default_policy = 1.2.3.4
ess_cert_id_alg = sha256
[req]
distinguished_name = name
[name]
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[signer]
extendedKeyUsage = critical,timeStamping
"""


@dataclass
class TimeStampAuthority:
    """An authority with a root certificate and one signer."""

    folder: Path
    address: str = ""
    is_away: bool = False
    """Answer with an error."""

    @property
    def certificate(self) -> bytes:
        """The root certificate in PEM."""
        return (self.folder / "root.pem").read_bytes()

    def create(self) -> None:
        """Create keys and certificates."""
        self.folder.mkdir()
        (self.folder / "settings").write_text(_SETTINGS)
        (self.folder / "serial").write_text("01")
        key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config settings"
        self._run(f"req -x509 {key} -keyout root.key -out root.pem -subj /CN=Root -extensions root")
        self._run(f"req {key} -keyout signer.key -out signer.request -subj /CN=Signer")
        self._run(
            "x509 -req -in signer.request -CA root.pem -CAkey root.key -out signer.pem"
            " -extfile settings -extensions signer"
        )

    def stamp(self, request: bytes) -> bytes:
        """Return the response to a request."""
        (self.folder / "request").write_bytes(request)
        self._run(
            "ts -reply -config settings -queryfile request -signer signer.pem -inkey signer.key -out response"
        )
        return (self.folder / "response").read_bytes()

    def _run(self, command: str) -> None:
        subprocess.run(["openssl", *command.split()], cwd=self.folder, check=True, capture_output=True)


@contextmanager
def time_stamp_authority(folder: Path) -> Iterator[TimeStampAuthority]:
    """Run an authority, whose files are in a new folder."""
    authority = TimeStampAuthority(folder)
    authority.create()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = self.rfile.read(int(self.headers["content-length"]))
            response = b"" if authority.is_away else authority.stamp(request)
            self.send_response(503 if authority.is_away else 200)
            self.send_header("content-length", str(len(response)))
            self.end_headers()
            self.wfile.write(response)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        authority.address = f"http://127.0.0.1:{server.server_port}/stamp"
        try:
            yield authority
        finally:
            server.shutdown()
