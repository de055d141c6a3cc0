"""Fetching of small documents: complete answers from trusted servers only."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import certifi
import pytest

from ops.base.http.client import fetch
from ops.testing.certificates import self_signed

HEAD = b"HTTP/1.1 200 OK\r\n"


@asynccontextmanager
async def answering(answer: bytes, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """A server that gives everybody the same answer, and then ends the connection; its address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls) as server:
        port = server.sockets[0].getsockname()[1]
        yield f"{'https' if tls else 'http'}://127.0.0.1:{port}/keys?of=ours"


async def fetched(answer: bytes, tls: ssl.SSLContext | None = None) -> bytes:
    async with answering(answer, tls) as url:
        return await fetch(url, accept="text/plain", most_bytes=1000, seconds=20)


@pytest.mark.parametrize(
    "answer",
    [
        HEAD + b"Content-Length: 5\r\n\r\nhello",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
        HEAD + b"\r\nhello",
        b"HTTP/1.0 200 OK\r\n\r\nhello",
    ],
    ids=["measured", "chunked", "until the end", "old"],
)
async def test_complete_answer_is_returned(answer: bytes) -> None:
    assert await fetched(answer) == b"hello"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"hello",
        HEAD,
        HEAD + b"Content-Length: 6\r\n\r\nhello",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n",
        HEAD + b"Content-Length: 1001\r\n\r\n" + b"x" * 1001,
        HEAD + b"\r\n" + b"x" * 1001,
        HEAD + b"X: y\r\n" * 20_000,
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=[
        "nothing",
        "no HTTP",
        "head",
        "cut",
        "cut chunks",
        "long",
        "long to the end",
        "long head",
        "204",
        "302",
    ],
)
async def test_incomplete_answer_is_refused(answer: bytes) -> None:
    with pytest.raises((ValueError, ConnectionError)):
        await fetched(answer)


@pytest.mark.parametrize(
    "url", ["", "keys", "ftp://127.0.0.1/", "http://", "http://127.0.0.1:x/", "http://127.0.0.1/a b\r\nX: y"]
)
async def test_malformed_address_is_refused(url: str) -> None:
    with pytest.raises((ValueError, OSError)):
        await fetch(url, accept="text/plain", most_bytes=1000, seconds=20)


@pytest.mark.parametrize("interrupted", [False, True], ids=["after a time", "when the service stops"])
async def test_silent_server_times_out(interrupted: bool) -> None:  # noqa: FBT001
    async def listen_only(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()
        writer.close()
        given_up.set()

    asked, given_up = asyncio.Event(), asyncio.Event()
    async with await asyncio.start_server(listen_only, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        seconds = 3600 if interrupted else 0.1
        fetching = asyncio.create_task(fetch(url, accept="text/plain", most_bytes=1, seconds=seconds))
        await asked.wait()
        if interrupted:
            fetching.cancel()
        with pytest.raises(asyncio.CancelledError if interrupted else TimeoutError):
            await fetching
        await given_up.wait()


async def test_https_requires_a_trusted_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = self_signed(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(chain)
    answer = HEAD + b"Content-Length: 5\r\n\r\nhello"

    monkeypatch.setenv("SSL_CERT_FILE", str(chain))
    assert await fetched(answer, tls) == b"hello"
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(ssl.SSLCertVerificationError):
        await fetched(answer, tls)
    monkeypatch.setattr(certifi, "where", lambda: str(chain))
    assert await fetched(answer, tls) == b"hello"
