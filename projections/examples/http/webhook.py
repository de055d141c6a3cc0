"""Receives webhooks on 127.0.0.1, behind a proxy with TLS: checks each signature, and prints each event once.

FLEETLOG_WEBHOOK_SECRET=whsec_… python webhook.py 8000
"""

import base64
import hmac
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ["FLEETLOG_WEBHOOK_SECRET"].removeprefix("whsec_"))
TOLERANCE_SECONDS = 300

seen: set[str] = set()  # a real receiver keeps the ids with what it does, in one transaction


def is_signed(headers: object, body: bytes) -> bool:
    message, moment, given = (headers.get(f"webhook-{one}", "") for one in ("id", "timestamp", "signature"))
    if not moment.isdecimal() or abs(time.time() - int(moment)) > TOLERANCE_SECONDS:
        return False
    content = b"%b.%b.%b" % (message.encode(), moment.encode(), body)
    expected = base64.b64encode(hmac.digest(SECRET, content, "sha256")).decode()
    # Two signatures while the secret changes.
    return any(hmac.compare_digest(one, f"v1,{expected}") for one in given.split())


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        signed = is_signed(self.headers, body)
        if signed and self.headers["webhook-id"] not in seen:
            print(body.decode(), flush=True)
            seen.add(self.headers["webhook-id"])
        self.send_response(204 if signed else 401)
        self.send_header("content-length", "0")
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
