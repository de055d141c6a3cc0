"""Responses: headers, entity tags, conditional requests and compression."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ops.base.http.consistency import CONSISTENCY_HEADER, STALE
from ops.base.http.long_responses import LONG_BODIES, PIECE_BYTES
from ops.base.http.problems import Problem
from ops.base.http.record_etags import CODING, keyed_digest
from ops.base.http.request_context import headers_of
from query_api.http.representation import Body, Content

ANY: Final = "*"
_ENTITY_TAG = re.compile(rf'"([\x21\x23-\x7e]*?){CODING}"')
_ZERO_WEIGHT = re.compile(r"\s*q\s*=\s*0(\.0{0,3})?\s*")


def known_etags(scope: Scope) -> frozenset[str]:
    """Return the entity tags in `If-None-Match`, or `*`.

    Tags are compared weakly (RFC 9110, section 13.1.2): a leading `W/` is ignored, and so is the suffix of a
    compressing proxy.
    """
    value = ",".join(headers_of(scope, b"if-none-match"))
    if not value:
        return frozenset()
    if value.strip() == ANY:
        return frozenset({ANY})
    return frozenset(f'"{tag}"' for tag in _ENTITY_TAG.findall(value))


def accepts_gzip(scope: Scope) -> bool:
    """Return whether `Accept-Encoding` allows gzip (RFC 9110, section 12.5.3)."""
    accepted: dict[str, bool] = {}
    for item in ",".join(headers_of(scope, b"accept-encoding")).lower().split(","):
        coding, _, weight = item.partition(";")
        accepted[coding.strip()] = not _ZERO_WEIGHT.fullmatch(weight)
    return accepted.get("gzip", accepted.get(ANY, False))


COMPRESS_FROM_BYTES: Final = 1024
NO_CACHE: Final = "private, no-cache, no-transform"
"""`Cache-Control` of answers with an entity tag; a compressing proxy would weaken the tag (RFC 9110, 7.7)."""


class _InPieces(Response):
    """A response that sends a long body in pieces."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(self.body) <= PIECE_BYTES:
            await super().__call__(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for piece in LONG_BODIES.pieces(scope, bytes(self.body)):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def answer(request: Request, content: Content, body: Body | None = None, *, fresh: bool) -> Response:
    """Return 304 if the client has the content, otherwise 200, compressed if the client accepts gzip.

    Args:
        body: the content's cached body, if any.
        fresh: whether the content includes the client's last write.
    """
    headers = {"ETag": content.etag, **common_headers(fresh=fresh)}
    if body is None and content.json is not None:
        body = Body(content.json)
    if body is None or is_known(request, content.etag):
        return Response(status_code=304, headers=headers)
    return await sent(request, body, headers, "application/json")


def is_known(request: Request, etag: str) -> bool:
    """Return whether `If-None-Match` contains an entity tag."""
    known = known_etags(request.scope)
    return etag in known or ANY in known


async def sent(request: Request, body: Body, headers: Mapping[str, str], media_type: str) -> Response:
    """Return 200 with a body, compressed if it is long enough and the client accepts gzip."""
    content = body.json
    if len(content) >= COMPRESS_FROM_BYTES and accepts_gzip(request.scope):
        content = await body.compressed()
        headers = {**headers, "Content-Encoding": "gzip"}
    return _InPieces(content, headers=headers, media_type=media_type)


def uncached(model: BaseModel, cache_control: str) -> Response:
    """Return 200 with a model as JSON, for one user and now."""
    headers = {"Cache-Control": cache_control, "Vary": "Authorization"}
    return Response(model.model_dump_json(by_alias=True), headers=headers, media_type="application/json")


async def answer_json(request: Request, json: bytes, *, fresh: bool) -> Response:
    """Return 304 or 200 with JSON whose entity tag is a digest of the body."""
    return await answer(request, Content(etag_of(json), json, stale=not fresh), fresh=fresh)


def etag_of(json: bytes) -> str:
    """Return a body's entity tag: a keyed digest."""
    return f'"{keyed_digest(json)[:32]}"'


def page_json(content: Iterable[bytes], following: int | None) -> bytes:
    """Return the JSON of a page of entries.

    Args:
        content: the entries as JSON.
        following: the cursor of the next page; None after the last.
    """
    cursor = b"null" if following is None else b'"%d"' % following
    return b'{"content":[%s],"next":%s}' % (b",".join(content), cursor)


def not_found(*, fresh: bool) -> Problem:
    """Return the 404 for a record that does not exist, or is not projected yet."""
    detail = "The record does not exist." if fresh else "The record does not exist yet. Please try again."
    return Problem(404, "not-found", detail, headers=common_headers(fresh=fresh))


def common_headers(*, fresh: bool) -> dict[str, str]:
    """Return the headers of every answer from the read tables."""
    return {
        "Cache-Control": NO_CACHE,
        "Vary": "Authorization, Accept-Encoding",
        **({} if fresh else {CONSISTENCY_HEADER: STALE}),
    }
