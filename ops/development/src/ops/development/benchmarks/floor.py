"""`python -m ops.development.benchmarks.floor`: an idle ASGI server, the least a request can cost.

It answers a constant, or with `?count=N` a list of N drivers that it serialises for each request.
"""

import os
from functools import cache
from typing import Any, Final

import uvicorn
from starlette.types import Receive, Scope, Send

from ops.base.records.entities import entity_type
from ops.base.records.json_values import json_bytes

STATUSES: Final = {"POST": 201}
"""Status by method where it is not 200."""
_BODY: Final = json_bytes({"id": "EXAMPLE"})
_COUNT: Final = b"count="


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer any request after receiving its body."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    body = _BODY
    if scope["query_string"].startswith(_COUNT):
        body = json_bytes({"content": _drivers(int(scope["query_string"].removeprefix(_COUNT)))})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
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
