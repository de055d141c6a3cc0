"""`python -m ops.development.benchmarks.bare`: the floor, which is the least that Python's ASGI servers do.

Nothing is looked at, stored or logged: the answer is a constant, or, with `?count=`, a list of so many
drivers that is serialised for each request, and compressed for who accepts that. `./fleetlog bench` compares
the services with it.
"""

import gzip
import os
from functools import cache
from typing import Any, Final

import uvicorn
from starlette.types import Receive, Scope, Send

from ops.base.entities import entity_type
from ops.base.json_values import json_bytes

STATUSES: Final = {"POST": 201}
"""By method, of all but 200."""
_BODY: Final = json_bytes({"id": "EXAMPLE"})
_COUNT: Final = b"count="
_GZIP_LEVEL: Final = 1


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer any request, without reading more of it than must be read."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    headers, body = [(b"content-type", b"application/json")], _BODY
    if scope["query_string"].startswith(_COUNT):
        body = json_bytes({"content": _drivers(int(scope["query_string"].removeprefix(_COUNT)))})
        if (b"accept-encoding", b"gzip") in scope["headers"]:
            headers.append((b"content-encoding", b"gzip"))
            body = gzip.compress(body, _GZIP_LEVEL, mtime=0)
    headers.append((b"content-length", b"%d" % len(body)))
    status = STATUSES.get(scope["method"], 200)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@cache
def _drivers(count: int) -> list[dict[str, Any]]:
    return [{**entity_type("driver").example, "id": f"BENCH-{number:06}"} for number in range(count)]


if __name__ == "__main__":
    uvicorn.run(
        answer,
        port=int(os.environ["FLEETLOG_PORT"]),
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
    )
