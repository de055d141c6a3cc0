"""`python -m ops.launcher.benchmarks.bare`: the least that Python's ASGI servers do for a request.

Nothing is looked at, stored or logged; `./fleetlog bench --only cost` stands the services beside it.
"""

import os

import uvicorn
from starlette.types import Receive, Scope, Send

STATUSES = {"POST": 201}
"""By method, of all but 200."""
_BODY = b'{"id":"EXAMPLE"}'
_HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(_BODY))]


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer any request, without reading more of it than must be read."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    status = STATUSES.get(scope["method"], 200)
    await send({"type": "http.response.start", "status": status, "headers": _HEADERS})
    await send({"type": "http.response.body", "body": _BODY})


if __name__ == "__main__":
    uvicorn.run(
        answer,
        port=int(os.environ["FLEETLOG_PORT"]),
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
    )
