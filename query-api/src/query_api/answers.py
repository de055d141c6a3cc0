"""Answers with what the read tables hold."""

import asyncio
import gzip
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ops.base.consistency import CONSISTENCY_HEADER, STALE
from ops.base.problems import Problem
from query_api.conditional import ANY, accepts_gzip, known_etags
from query_api.reading import Content

COMPRESS_FROM_BYTES: Final = 1024
_COMPRESS_ASIDE_FROM_BYTES: Final = 32 * 1024
"""Compressing more than this takes milliseconds, which other requests need not wait for."""
_LEVEL: Final = 1  # a list of JSON records shrinks to a sixth; higher levels cost more than they save


async def answer(request: Request, content: Content, *, fresh: bool) -> Response:
    """Answer with content: 304 when the client has it, else 200, compressed where that is welcome."""
    headers = {"ETag": content.etag, **_common_headers(fresh=fresh)}
    known = known_etags(request.headers)
    if content.json is None or content.etag in known or ANY in known:
        return Response(status_code=304, headers=headers)
    body = content.json
    if len(body) >= COMPRESS_FROM_BYTES and accepts_gzip(request.headers):
        body = await _compressed(body)
        headers["Content-Encoding"] = "gzip"
    return Response(body, headers=headers, media_type="application/json")


def not_found(*, fresh: bool) -> Problem:
    """The refusal for a record that is not there, or not there yet."""
    detail = (
        "There is no such record." if fresh else "There is no such record yet; your change is on its way."
    )
    return Problem(404, "not-found", detail, headers=_common_headers(fresh=fresh))


def _common_headers(*, fresh: bool) -> dict[str, str]:
    return {
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Accept-Encoding",
        **({} if fresh else {CONSISTENCY_HEADER: STALE}),
    }


async def _compressed(body: bytes) -> bytes:
    if len(body) < _COMPRESS_ASIDE_FROM_BYTES:
        return gzip.compress(body, _LEVEL, mtime=0)
    return await asyncio.to_thread(gzip.compress, body, _LEVEL, mtime=0)
