"""Notification of the APIs of sign-outs."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from joserfc import jwt

from ops.development.identity_provider.tokens import load_or_create_key
from ops.testing.conditions import wait_until
from ops.testing.oauth_browser import OAuthBrowser
from ops.testing.token_issuer import TokenIssuer

Provider = Callable[..., AbstractAsyncContextManager[str]]


class Listener(TokenIssuer):
    """Receives logout tokens like an API; while its gate is closed, it does not answer.

    Attributes:
        received: the forms.
        statuses: statuses of the next answers; then 200.
    """

    def __init__(self) -> None:
        super().__init__()
        self.received: list[dict[str, list[str]]] = []
        self.statuses: list[int] = []

    def posted(self, _path: str, form: str) -> tuple[int, bytes]:
        self.received.append(parse_qs(form))
        self.gate.wait(60)
        return self.statuses.pop(0) if self.statuses else 200, b""


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as listener:
        yield listener


@pytest.fixture
async def browser(listener: Listener, state: Path, provider: Provider) -> AsyncIterator[OAuthBrowser]:
    """A browser of a provider that notifies the listener."""
    async with (
        provider(state, idp_back_channel_logout=listener.issuer) as address,
        OAuthBrowser(address) as browser,
    ):
        yield browser


async def sign_out(browser: OAuthBrowser) -> None:
    answer = await browser.http.get("/v2/logout", params={"client_id": "fleetlog-web"})
    assert answer.status_code == 302


async def test_notification_is_a_logout_token_of_the_session(
    browser: OAuthBrowser, listener: Listener, state: Path
) -> None:
    key = load_or_create_key(state)
    access = jwt.decode((await browser.tokens())["access_token"], key).claims

    await sign_out(browser)
    await wait_until(lambda: listener.received)

    ((token,),) = [form["logout_token"] for form in listener.received]
    decoded = jwt.decode(token, key)
    assert decoded.header == {"alg": "RS256", "typ": "logout+jwt", "kid": key.kid}
    claims = decoded.claims
    assert (claims["iss"], claims["aud"]) == ("http://localhost:8080/", "fleetlog-web")
    assert (claims["sub"], claims["sid"]) == (access["sub"], access["sid"])
    assert claims["events"] == {"http://schemas.openid.net/event/backchannel-logout": {}}
    assert access["iat"] <= claims["iat"] < claims["exp"] <= claims["iat"] + 120
    assert isinstance(claims["jti"], str)


async def test_failed_notification_is_retried(browser: OAuthBrowser, listener: Listener) -> None:
    listener.statuses = [500, 503]
    await browser.sign_in()
    await sign_out(browser)
    await sign_out(browser)  # there is no session any more
    await wait_until(lambda: len(listener.received) == 3)
    await browser.sign_in()
    await sign_out(browser)
    await wait_until(lambda: len(listener.received) == 4)


async def test_unresponsive_api_does_not_delay_sign_out(browser: OAuthBrowser, listener: Listener) -> None:
    listener.gate.clear()
    for _ in range(3):
        await browser.sign_in()
        await sign_out(browser)
    await wait_until(lambda: len(listener.received) >= 3)
