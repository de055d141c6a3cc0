"""A small document from an address that only configuration names.

The services have Python's own client loaded anyway; httpx takes 12 MB, and 7 more for certificates that it
loads without need.
"""

import asyncio
import socket
import ssl
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

import certifi


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
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    try:
        connection = _connection(parts.scheme, parts.netloc, seconds)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(_fetch, connection, target, accept, most_bytes)
        finally:
            # Who gives up leaves a thread that waits for the next byte: this ends its wait, if there is one.
            with suppress(OSError, AttributeError):
                connection.sock.shutdown(socket.SHUT_RDWR)
    except HTTPException as error:
        raise ValueError("no answer, or no address") from error


def _connection(scheme: str, place: str, seconds: float) -> HTTPConnection:
    match scheme:
        case "http":
            return HTTPConnection(place, timeout=seconds)
        case "https":
            trusted = ssl.create_default_context(cafile=certifi.where())
            return HTTPSConnection(place, timeout=seconds, context=trusted)
    raise ValueError("no address with http or https")


def _fetch(connection: HTTPConnection, target: str, accept: str, most_bytes: int) -> bytes:
    headers = {"Accept": accept, "Accept-Encoding": "identity", "Connection": "close"}
    try:
        connection.request("GET", target, headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            raise ValueError(f"status {response.status}")
        body = response.read(most_bytes + 1)
        if len(body) > most_bytes:
            raise ValueError("too long")
        if response.length or not body:
            raise ValueError("an answer without its end")
        return body
    finally:
        connection.close()
