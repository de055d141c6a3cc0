"""Documents at addresses from the configuration.

The services have Python's own client loaded anyway; httpx takes 12 MB, and 7 more for certificates that it
loads without need.
"""

import asyncio
import os
import socket
import ssl
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

import certifi


async def fetch(url: str, *, accept: str, most_bytes: int, seconds: float) -> bytes:
    """Return the document at an `http:` or `https:` address.

    Redirects and the environment's proxies are not followed. The document is uncompressed, so that
    `most_bytes` limits the bytes that are received.

    Raises:
        OSError: the server cannot be reached in time, or its certificate is not valid.
        ValueError: the address is malformed, or the answer is not 200, incomplete or too long.
    """
    parts = urlsplit(url)
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    headers = {"Accept": accept, "Accept-Encoding": "identity", "Connection": "close"}

    def exchange() -> bytes:
        with closing(connection):
            connection.request("GET", target, headers=headers)
            response = connection.getresponse()
            if response.status != 200:
                raise ValueError(f"status {response.status}")
            body = response.read(most_bytes + 1)
            if len(body) > most_bytes:
                raise ValueError("too long")
            if response.length or not body:
                raise ValueError("an incomplete answer")
            return body

    try:
        match parts.scheme:
            case "http":
                connection = HTTPConnection(parts.netloc, timeout=seconds)
            case "https":
                connection = HTTPSConnection(parts.netloc, timeout=seconds, context=trusting())
            case _:
                raise ValueError("no address with http or https")
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(exchange)
        finally:
            # After a time-out, the thread still waits for the next byte: end its wait.
            with suppress(OSError, AttributeError):
                connection.sock.shutdown(socket.SHUT_RDWR)
    except HTTPException as error:
        raise ValueError("no answer, or a malformed address") from error


def trusting() -> ssl.SSLContext:
    """Trust the authorities that `SSL_CERT_FILE` names, or else the public ones."""
    return ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())
