"""An HTTP address for witnesses."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Kept:
    """The received bodies of an address, and the status of its responses."""

    address: str = ""
    bodies: list[bytes] = field(default_factory=list)
    status: int = 200


@contextmanager
def http_address() -> Iterator[Kept]:
    """Serve an address that stores the bodies of PUT requests."""
    kept = Kept()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(kept.status if kept.bodies else 404, kept.bodies[-1] if kept.bodies else b"")

        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if kept.status == 200:
                kept.bodies.append(body)
            self._answer(kept.status, b"")

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        kept.address = f"http://user:password@127.0.0.1:{server.server_port}/last"
        try:
            yield kept
        finally:
            server.shutdown()
