"""A small document from an address that only configuration names.

The services have Python's own client loaded anyway; httpx takes 12 MB, and 7 more for certificates that it
loads without need.
"""

import asyncio
import os
import socket
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

import certifi

T = TypeVar("T")


async def fetch(url: str, *, accept: str, most_bytes: int, seconds: float) -> bytes:
    """Return what is at an address.

    No redirect is followed, no proxy of the environment's is used: it comes from the address we were given.
    Uncompressed, so that the bound holds for what arrives.

    Args:
        url: with `http:` or `https:`.

    Raises:
        OSError: the server cannot be reached, or proves to be another one.
        ValueError: what came is no answer of 200 with its end, or is too long; or the address is none.
    """
    return await _exchange(url, seconds, partial(_fetch, accept=accept, most_bytes=most_bytes))


async def post_form(url: str, fields: Mapping[str, str], *, seconds: float) -> None:
    """Send a form to an address; the same holds as for `fetch`.

    Raises:
        OSError: the server cannot be reached, or proves to be another one.
        ValueError: what came is no answer of 200; or the address is none.
    """
    await _exchange(url, seconds, partial(_post, form=urlencode(fields).encode()))


def trusting() -> ssl.SSLContext:
    """Trust the authorities that `SSL_CERT_FILE` names, or else the public ones."""
    return ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())


async def _exchange(url: str, seconds: float, exchange: Callable[[HTTPConnection, str], T]) -> T:
    parts = urlsplit(url)
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    try:
        connection = _connection(parts.scheme, parts.netloc, seconds)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(exchange, connection, target)
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
            return HTTPSConnection(place, timeout=seconds, context=trusting())
    raise ValueError("no address with http or https")


def _fetch(connection: HTTPConnection, target: str, *, accept: str, most_bytes: int) -> bytes:
    headers = {"Accept": accept, "Accept-Encoding": "identity", "Connection": "close"}
    try:
        connection.request("GET", target, headers=headers)
        response = _answer(connection)
        body = response.read(most_bytes + 1)
        if len(body) > most_bytes:
            raise ValueError("too long")
        if response.length or not body:
            raise ValueError("an answer without its end")
        return body
    finally:
        connection.close()


def _post(connection: HTTPConnection, target: str, *, form: bytes) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Connection": "close"}
    try:
        connection.request("POST", target, body=form, headers=headers)
        _answer(connection)
    finally:
        connection.close()


def _answer(connection: HTTPConnection) -> HTTPResponse:
    response = connection.getresponse()
    if response.status != 200:
        raise ValueError(f"status {response.status}")
    return response
