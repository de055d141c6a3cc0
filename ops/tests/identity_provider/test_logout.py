"""Signing out."""

import pytest

from ops.testing.oauth_browser import OAuthBrowser, answer_parameters


async def logout(browser: OAuthBrowser, **parameters: str) -> tuple[int, str | None]:
    answer = await browser.http.get("/v2/logout", params={"client_id": "fleetlog-web", **parameters})
    return answer.status_code, answer.headers.get("location")


async def is_signed_in(browser: OAuthBrowser) -> bool:
    return "code" in answer_parameters(await browser.authorize(prompt="none"))


@pytest.mark.parametrize(
    "back", ["http://localhost:8080", "http://localhost:8080/", "http://localhost:5173/a?b=c"]
)
async def test_signing_out_ends_the_session_and_leads_back(browser: OAuthBrowser, back: str) -> None:
    await browser.sign_in()
    assert await is_signed_in(browser)

    assert await logout(browser, returnTo=back) == (302, back)
    assert not await is_signed_in(browser)


async def test_a_copy_of_the_cookie_is_worth_nothing_afterwards(browser: OAuthBrowser) -> None:
    await browser.sign_in()
    cookie = browser.http.cookies["fleetlog_idp_session"]
    await logout(browser)
    browser.http.cookies.set("fleetlog_idp_session", cookie)

    assert not await is_signed_in(browser)


async def test_signing_out_ends_the_refresh_tokens_of_that_browser_only(
    browser: OAuthBrowser, address: str
) -> None:
    other = OAuthBrowser(address)
    here, there = await browser.tokens(), await other.tokens()

    await logout(browser)

    assert (await browser.refresh(here["refresh_token"])).status_code == 400
    assert (await other.refresh(there["refresh_token"])).status_code == 200
    await other.close()


async def test_without_a_way_back_a_page_says_so(browser: OAuthBrowser) -> None:
    await browser.sign_in()

    assert await logout(browser) == (200, None)
    assert not await is_signed_in(browser)


@pytest.mark.parametrize("back", ["http://evil.example/", "//evil.example", "javascript:alert(1)", "/", "é"])
async def test_it_leads_nowhere_else(browser: OAuthBrowser, back: str) -> None:
    await browser.sign_in()

    assert await logout(browser, returnTo=back) == (400, None)
    assert not await is_signed_in(browser)


async def test_signing_out_twice_is_fine(browser: OAuthBrowser) -> None:
    assert await logout(browser, returnTo="http://localhost:8080") == (302, "http://localhost:8080")
