"""A small document from an address that only configuration names: GET over HTTP/1.1, by asyncio alone.

A client for everything takes 12 MB, and as many again for the certificates that it loads without need.
"""

import asyncio
import ssl
from typing import Final
from urllib.parse import urlsplit

import certifi
import httptools

_PIECE: Final = 16 * 1024
_LONGEST_HEAD: Final = 64 * 1024


async def fetch(url: str, *, accept: str, most_bytes: int, seconds: float) -> bytes:
    """Return what is at an address.

    No redirect is followed, no proxy of the environment's is used: it comes from the address we were given.
    Uncompressed, so that the bound holds for what arrives.

    Args:
        url: with `http:` or `https:`.
        accept: the media type wanted.
        most_bytes: of the document.
        seconds: for the whole exchange.

    Raises:
        OSError: the server cannot be reached, or proves to be another one.
        TimeoutError: it took too long.
        ValueError: what came is no answer of 200 with its end, or is too long; or the address is none.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("no address with http or https")
    tls = ssl.create_default_context(cafile=certifi.where()) if parts.scheme == "https" else None
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    request = (
        f"GET {target} HTTP/1.1\r\nHost: {parts.netloc.rpartition('@')[2]}\r\nAccept: {accept}\r\n"
        "Accept-Encoding: identity\r\nConnection: close\r\n\r\n"
    )
    if not target.isascii() or any(character.isspace() for character in target + parts.netloc):
        raise ValueError("no address that can be sent")
    answer = _Answer(most_bytes)
    async with asyncio.timeout(seconds):
        reader, writer = await asyncio.open_connection(
            parts.hostname, parts.port or (443 if tls else 80), ssl=tls
        )
        try:
            writer.write(request.encode())
            while not answer.ended:
                answer.take(await reader.read(_PIECE))
        finally:
            writer.close()
    return bytes(answer.body)


class _Answer:
    """What the parser has found so far."""

    def __init__(self, most_bytes: int) -> None:
        self.body = bytearray()
        self.ended = False
        self._most_bytes = most_bytes
        self._received = 0
        self._has_head = self._is_measured = False
        self._parser = httptools.HttpResponseParser(self)

    def take(self, piece: bytes) -> None:
        """Go on with what came; nothing, when the connection has ended."""
        if not piece:
            if not self._has_head or self._is_measured:
                raise ValueError("an answer without its end")
            self.ended = True
            return
        self._received += len(piece)
        if self._received > self._most_bytes + _LONGEST_HEAD:
            raise ValueError("too long")
        try:
            self._parser.feed_data(piece)
        except httptools.HttpParserCallbackError as error:
            if isinstance(error.__context__, ValueError):
                raise error.__context__ from None
            raise ValueError("no answer") from error
        except httptools.HttpParserError as error:
            raise ValueError("no answer") from error

    def on_header(self, name: bytes, _value: bytes) -> None:
        """See whether it will tell where it ends."""
        self._is_measured |= name.lower() in (b"content-length", b"transfer-encoding")

    def on_headers_complete(self) -> None:
        """Go on only with what was asked for; what is provisional is passed over."""
        status = self._parser.get_status_code()
        if status >= 200:
            if status != 200:
                raise ValueError(f"status {status}")
            self._has_head = True

    def on_body(self, body: bytes) -> None:
        """Take a piece of the document."""
        self.body += body
        if len(self.body) > self._most_bytes:
            raise ValueError("too long")

    def on_message_complete(self) -> None:
        """See the end."""
        self.ended = self._has_head
