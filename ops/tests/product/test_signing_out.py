"""Tokens are refused after their user signs out or is signed out."""

import os
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from ops.testing.conditions import wait_until
from ops.testing.fixtures import SPLIT, TOPOLOGY
from ops.testing.oauth_browser import OAuthBrowser, answer_parameters
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

IN_CONTAINERS = os.environ.get(TOPOLOGY) == SPLIT
"""In containers, operators end sessions at the provider, whose state other services cannot reach."""
ROUTES = (("GET", "/api/v1/trailers"), ("POST", "/api/v1/trailers"))
"""One route of each API."""
USER = "dev|tomas"
Open = Callable[[], OAuthBrowser]


@pytest.fixture
async def open_browser(stack: Stack) -> AsyncIterator[Open]:
    opened: list[OAuthBrowser] = []

    def open_browser() -> OAuthBrowser:
        opened.append(OAuthBrowser(stack.address, origin=stack.address))
        return opened[-1]

    yield open_browser
    for browser in opened:
        await browser.close()


async def is_refused(stack: Stack, token: str) -> bool:
    """Return whether both APIs refuse a token."""
    return await statuses(stack, token) == {401}


async def is_accepted(stack: Stack, token: str) -> bool:
    """Return whether both APIs accept a token."""
    return 401 not in await statuses(stack, token)


async def statuses(stack: Stack, token: str) -> set[int]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(headers=headers, trust_env=False, timeout=60) as client:
        return {(await client.request(method, stack.address + path)).status_code for method, path in ROUTES}


async def test_sign_out_in_one_browser_revokes_its_tokens_alone(stack: Stack, open_browser: Open) -> None:
    here, there = open_browser(), open_browser()
    ended, other = [(await browser.tokens(USER))["access_token"] for browser in (here, there)]
    of_command_line = stack.token(USER)
    for token in (ended, other, of_command_line):
        assert await is_accepted(stack, token)

    await here.http.get("/v2/logout", params={"client_id": "fleetlog-web", "returnTo": stack.address})

    await wait_until(lambda: is_refused(stack, ended))
    for token in (other, of_command_line, (await here.tokens(USER))["access_token"]):
        assert await is_accepted(stack, token)


async def test_operator_revokes_all_tokens_until_the_user_signs_in_again(
    stack: Stack, open_browser: Open
) -> None:
    browser = open_browser()
    given = await browser.tokens(USER)
    assert await is_accepted(stack, given["access_token"])
    other = stack.token("dev|ingrid")

    done = stack.run("sign-out", USER)

    assert (done.returncode, done.stderr) == (0, "")
    assert f"Signed out: {USER}." in done.stdout
    await wait_until(lambda: is_refused(stack, given["access_token"]))
    assert await is_accepted(stack, other)
    if IN_CONTAINERS:
        assert "may still be active" in done.stdout
    else:
        assert (await browser.refresh(given["refresh_token"])).status_code == 400
        silent = answer_parameters(await browser.authorize(prompt="none"))
        assert silent["error"] == "login_required"

    async def is_accepted_again() -> bool:  # revocation has a resolution of one second
        return await is_accepted(stack, (await open_browser().tokens(USER))["access_token"])

    await wait_until(is_accepted_again)
