"""Documents that are the same for everybody until the next release of the product."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from query_api.http.answers import etag_of, is_known, sent
from query_api.http.representation import Body

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
            "ETag": etag_of(content),
            "Cache-Control": CACHE_CONTROL,
            "Vary": "Accept-Encoding",
        }

    async def answer(self, request: Request) -> Response:
        """Answer with it, or with 304 where the client has it."""
        if is_known(request, self._headers["ETag"]):
            return Response(status_code=304, headers=self._headers)
        return await sent(request, self._body, self._headers, self._media_type)
