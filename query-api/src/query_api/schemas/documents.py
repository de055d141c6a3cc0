"""Documents that are the same for everybody until the next release of the product."""

from hashlib import sha256
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from query_api.answers import COMPRESS_FROM_BYTES
from query_api.conditional import ANY, accepts_gzip, known_etags
from query_api.prepared import Body

CACHE_CONTROL: Final = "public, max-age=300"
"""They hold no data, so anybody may keep them; five minutes after a release everybody has the new ones."""
SCHEMA_JSON: Final = "application/schema+json"


class PublicDocument:
    """One such document, ready to be sent."""

    def __init__(self, content: bytes, media_type: str = "application/json") -> None:
        """Take a document.

        Args:
            content: its JSON.
            media_type: what kind of JSON.
        """
        self._body = Body(content)
        self._media_type = media_type
        self._headers = {
            "ETag": f'"{sha256(content).hexdigest()[:32]}"',
            "Cache-Control": CACHE_CONTROL,
            "Vary": "Accept-Encoding",
        }

    async def answer(self, request: Request) -> Response:
        """Answer with it, or with 304 where the client has it."""
        headers = dict(self._headers)
        known = known_etags(request.headers)
        if headers["ETag"] in known or ANY in known:
            return Response(status_code=304, headers=headers)
        content = self._body.json
        if len(content) >= COMPRESS_FROM_BYTES and accepts_gzip(request.headers):
            headers["Content-Encoding"] = "gzip"
            content = await self._body.compressed()
        return Response(content, headers=headers, media_type=self._media_type)
