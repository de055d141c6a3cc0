"""The APIs are told who has signed out, and nobody waits for it."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from joserfc import jwt

from ops.development.identity_provider.tokens import load_or_create_key
from ops.testing.oauth_browser import OAuthBrowser
from ops.testing.token_issuer import TokenIssuer
from ops.testing.waiting import wait_until

Provider = Callable[..., AbstractAsyncContextManager[str]]


class Listener(TokenIssuer):
    """Takes note of logout tokens, as an API does; while its gate is closed, those who tell are kept waiting.

    Attributes:
        told: what was sent.
        statuses: of its next answers; then all are 200.
    """

    def __init__(self) -> None:
        super().__init__()
        self.told: list[dict[str, list[str]]] = []
        self.statuses: list[int] = []

    def posted(self, _path: str, form: str) -> tuple[int, bytes]:
        self.told.append(parse_qs(form))
        self.gate.wait(60)
        return self.statuses.pop(0) if self.statuses else 200, b""


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as listener:
        yield listener


@pytest.fixture
async def browser(listener: Listener, state: Path, provider: Provider) -> AsyncIterator[OAuthBrowser]:
    """Of a provider that tells the listener."""
    async with (
        provider(state, idp_back_channel_logout=listener.issuer) as address,
        OAuthBrowser(address) as browser,
    ):
        yield browser


async def sign_out(browser: OAuthBrowser) -> None:
    answer = await browser.http.get("/v2/logout", params={"client_id": "fleetlog-web"})
    assert answer.status_code == 302


async def test_what_is_told_is_a_logout_token_of_the_session(
    browser: OAuthBrowser, listener: Listener, state: Path
) -> None:
    key = load_or_create_key(state)
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
