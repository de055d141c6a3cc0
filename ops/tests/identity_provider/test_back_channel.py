"""The APIs are told who has signed out, and nobody waits for it."""

import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import parse_qs

import pytest
from joserfc import jwt

from ops.launcher.identity_provider.app import create_app
from ops.launcher.identity_provider.settings import IdentityProviderSettings
from ops.launcher.identity_provider.tokens import load_or_create_key
from ops.testing.oauth_browser import OAuthBrowser
from ops.testing.serving import serving
from ops.testing.waiting import wait_until


class Listener:
    """Takes note of logout tokens, as an API does.

    Attributes:
        told: what was sent.
        statuses: of its next answers; then all are 200.
        gate: while cleared, those who tell are kept waiting.
    """

    def __init__(self) -> None:
        self.told: list[dict[str, list[str]]] = []
        self.statuses: list[int] = []
        self.gate = threading.Event()
        self.gate.set()
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                listener.told.append(parse_qs(body.decode()))
                listener.gate.wait(60)
                self.send_response(listener.statuses.pop(0) if listener.statuses else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
                """Keep the test's output clean."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}/logout"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as listener:
        yield listener


@pytest.fixture
async def browser(listener: Listener, state_dir: Path) -> AsyncIterator[OAuthBrowser]:
    """Of a provider that tells the listener."""
    settings = IdentityProviderSettings(
        port=0,
        issuer="http://localhost:8080/",
        audience="https://api.fleetlog.example",
        environment="development",
        idp_state=state_dir,
        idp_back_channel_logout=listener.address,
    )
    async with serving(create_app(settings)) as address:
        browser = OAuthBrowser(address)
        yield browser
        await browser.close()


async def sign_out(browser: OAuthBrowser) -> None:
    answer = await browser.http.get("/v2/logout", params={"client_id": "fleetlog-web"})
    assert answer.status_code == 200


async def test_what_is_told_is_a_logout_token_of_the_session(
    browser: OAuthBrowser, listener: Listener, state_dir: Path
) -> None:
    key = load_or_create_key(state_dir)
    access = jwt.decode((await browser.tokens())["access_token"], key).claims

    await sign_out(browser)
    await wait_until(lambda: listener.told)

    ((token,),) = [form["logout_token"] for form in listener.told]
    decoded = jwt.decode(token, key)
    assert decoded.header == {"alg": "RS256", "typ": "logout+jwt", "kid": key.kid}
    claims = decoded.claims
    assert (claims["iss"], claims["aud"]) == ("http://localhost:8080/", "fleetlog-web")
    assert (claims["sub"], claims["sid"]) == (access["sub"], access["sid"])
    assert claims["events"] == {"http://schemas.openid.net/event/backchannel-logout": {}}
    assert access["iat"] <= claims["iat"] < claims["exp"] <= claims["iat"] + 120
    assert isinstance(claims["jti"], str)


async def test_it_is_told_again_where_it_was_not_taken_and_each_session_once(
    browser: OAuthBrowser, listener: Listener
) -> None:
    listener.statuses = [500, 503]
    await browser.sign_in()
    await sign_out(browser)
    await sign_out(browser)  # there is no session any more
    await wait_until(lambda: len(listener.told) == 3)
    await browser.sign_in()
    await sign_out(browser)
    await wait_until(lambda: len(listener.told) == 4)


async def test_nobody_waits_for_one_who_does_not_answer(browser: OAuthBrowser, listener: Listener) -> None:
    listener.gate.clear()
    for _ in range(3):
        await browser.sign_in()
        await sign_out(browser)
    await wait_until(lambda: len(listener.told) >= 3)


@pytest.mark.parametrize("address", ["http://elsewhere.example/", "https://localhost/", "localhost", "/a"])
def test_nobody_else_is_told(state_dir: Path, address: str) -> None:
    with pytest.raises(ValueError, match="local address"):
        IdentityProviderSettings(
            port=0,
            issuer="http://localhost:8080/",
            audience="apis",
            environment="development",
            idp_state=state_dir,
            idp_back_channel_logout=address,
        )
