"""Silent login: an invisible frame asks, and is answered without a page for people."""

import re
from datetime import timedelta

import pytest
import time_machine

from ops.testing.oauth_browser import OAuthBrowser, answer_parameters, web_message

SILENT = {"prompt": "none", "response_mode": "web_message"}


async def test_with_a_session_the_code_comes_by_message(browser: OAuthBrowser) -> None:
    await browser.sign_in("dev|mei")

    page = await browser.authorize(**SILENT)
    response, target = web_message(page)

    assert page.status_code == 200
    assert target == "http://localhost:8080"
    assert response["state"] == "the-state~"
    tokens = await browser.token(
        grant_type="authorization_code",
        code=response["code"],
        code_verifier=browser.verifier,
        redirect_uri=browser.origin,
    )
    assert tokens.json()["id_token"]


async def test_without_a_session_the_frame_says_login_required(browser: OAuthBrowser) -> None:
    response, target = web_message(await browser.authorize(**SILENT))

    assert target == "http://localhost:8080"
    assert response == {
        "error": "login_required",
        "error_description": "Login required",
        "state": "the-state~",
    }


@pytest.mark.parametrize("scope", ["openid", "profile"])
async def test_a_silent_redirect_without_a_session_says_login_required(
    browser: OAuthBrowser, scope: str
) -> None:
    answer = await browser.authorize(prompt="none", scope=scope)

    assert answer_parameters(answer)["error"] == "login_required"
    assert answer_parameters(answer)["state"] == "the-state~"


async def test_the_page_may_be_framed_by_its_application_only_and_runs_only_its_script(
    browser: OAuthBrowser,
) -> None:
    page = await browser.authorize(**SILENT, redirect_uri="http://localhost:5173/callback")
    policy = page.headers["content-security-policy"]

    assert web_message(page)[1] == "http://localhost:5173"
    assert "frame-ancestors http://localhost:5173" in policy
    nonce = re.search(r"script-src 'nonce-([^']+)'", policy)
    assert nonce is not None
    assert f'<script nonce="{nonce[1]}">' in page.text
    assert page.headers["cache-control"] == "no-store"


async def test_a_popup_shows_the_users_and_then_sends_the_message(browser: OAuthBrowser) -> None:
    page = await browser.authorize(response_mode="web_message")
    assert "Asha Menon" in page.text

    response, _ = web_message(await browser.choose(page))

    assert response["code"]


async def test_an_error_of_the_request_comes_by_message_too(browser: OAuthBrowser) -> None:
    response, _ = web_message(await browser.authorize(**SILENT, code_challenge_method="plain"))

    assert response["error"] == "invalid_request"


async def test_an_untrusted_address_gets_no_message(browser: OAuthBrowser) -> None:
    page = await browser.authorize(**SILENT, redirect_uri="http://evil.example/")

    assert page.status_code == 400
    assert "postMessage" not in page.text


@pytest.mark.parametrize("prompt", ["login", "select_account"])
async def test_a_prompt_asks_although_there_is_a_session_and_asks_once(
    browser: OAuthBrowser, prompt: str
) -> None:
    await browser.sign_in("dev|asha")

    page = await browser.authorize(prompt=prompt)
    assert page.status_code == 200

    answer = await browser.choose(page, "dev|rohan")
    assert answer_parameters(answer)["code"]


async def test_a_session_that_is_too_old_for_max_age_is_asked_again(browser: OAuthBrowser) -> None:
    with time_machine.travel(1_900_000_000, tick=False) as clock:
        await browser.sign_in()
        clock.shift(timedelta(seconds=100))
        assert (await browser.authorize(max_age="100")).status_code == 302
        assert (await browser.authorize(max_age="99")).status_code == 200
        answer = await browser.authorize(max_age="99", prompt="none")
        assert answer_parameters(answer)["error"] == "login_required"


async def test_a_session_ends_after_a_day(browser: OAuthBrowser) -> None:
    with time_machine.travel(1_900_000_000, tick=False) as clock:
        await browser.sign_in()
        clock.shift(timedelta(hours=24))
        response, _ = web_message(await browser.authorize(**SILENT))
        assert response["error"] == "login_required"


@pytest.mark.parametrize("cookie", ["", "guess", "é", "x" * 4000])
async def test_a_made_up_session_is_none(browser: OAuthBrowser, cookie: str) -> None:
    headers = [(b"Cookie", f"fleetlog_idp_session={cookie}".encode())]
    answer = await browser.http.get("/authorize", params=browser.request(prompt="none"), headers=headers)

    assert answer_parameters(answer)["error"] == "login_required"
