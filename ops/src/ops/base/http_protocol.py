"""The HTTP server's protocol, with problem documents for what never becomes a request."""

import json
import uuid
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ops.base.problems import MEDIA_TYPE, Problem, problem_document

_NOT_HTTP: Final = Problem(400, "invalid-request", "The request is not well-formed HTTP.")


class ProblemProtocol(HttpToolsProtocol):
    """uvicorn's own protocol; only its plain text for malformed requests is replaced.

    nginx passes on what this parser refuses, such as control characters in headers.
    """

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - may quote the request
        """Refuse what is not HTTP, and close the connection."""
        request_id = uuid.uuid4().hex
        body = json.dumps(problem_document(_NOT_HTTP, request_id)).encode()
        head = (
            "HTTP/1.1 400 Bad Request\r\n"
            f"content-type: {MEDIA_TYPE}\r\n"
            f"content-length: {len(body)}\r\n"
            f"x-request-id: {request_id}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
