"""Refresh tokens rotate; one that comes twice takes its whole family along."""

from datetime import timedelta

import pytest
import time_machine
from joserfc import jwt
from joserfc.jwk import KeySet

from ops.testing.oauth_browser import OAuthBrowser


async def test_a_refresh_token_gives_new_tokens_and_a_new_refresh_token(browser: OAuthBrowser) -> None:
    first = await browser.tokens()

    answer = await browser.refresh(first["refresh_token"])
    second = answer.json()

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert second["refresh_token"] != first["refresh_token"]
    assert second["access_token"] != first["access_token"]
    assert second["scope"] == first["scope"]
    assert (await browser.refresh(second["refresh_token"])).status_code == 200


async def test_the_new_id_token_says_when_the_user_really_signed_in(browser: OAuthBrowser) -> None:
    keys = KeySet.import_key_set((await browser.http.get("/.well-known/jwks.json")).json())
    with time_machine.travel(1_900_000_000, tick=False) as clock:
        tokens = await browser.tokens()
        clock.shift(timedelta(hours=1))
        refreshed = (await browser.refresh(tokens["refresh_token"])).json()

    claims = jwt.decode(refreshed["id_token"], keys, ["RS256"]).claims
    assert (claims["auth_time"], claims["iat"]) == (1_900_000_000, 1_900_003_600)
    assert claims["aud"] == "fleetlog-web"
    assert "nonce" not in claims


async def test_a_rotated_token_that_comes_again_revokes_the_family(browser: OAuthBrowser) -> None:
    first = await browser.tokens()
    second = (await browser.refresh(first["refresh_token"])).json()
    third = (await browser.refresh(second["refresh_token"])).json()

    reuse = await browser.refresh(first["refresh_token"])

    assert (reuse.status_code, reuse.json()["error"]) == (400, "invalid_grant")
    for tokens in (first, second, third):
        assert (await browser.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"


async def test_another_sign_in_is_another_family(browser: OAuthBrowser) -> None:
    stolen, other = await browser.tokens(), await browser.tokens(prompt="login")
    await browser.refresh(stolen["refresh_token"])
    await browser.refresh(stolen["refresh_token"])

    assert (await browser.refresh(other["refresh_token"])).status_code == 200


@pytest.mark.parametrize("refresh_token", [None, "", "unknown", "x" * 2048])
async def test_a_missing_or_wrong_token_makes_the_browser_library_fall_back(
    browser: OAuthBrowser, refresh_token: str | None
) -> None:
    answer = await browser.refresh(refresh_token)

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
    # The library falls back to silent login (`useRefreshTokensFallback`) when it reads these words.
    assert "invalid refresh token" in answer.json()["error_description"]


async def test_a_refresh_token_is_no_code_and_a_code_no_refresh_token(browser: OAuthBrowser) -> None:
    answer = await browser.sign_in()
    code = answer.headers["location"].split("code=")[1].split("&")[0]
    assert (await browser.refresh(code)).json()["error"] == "invalid_grant"

    tokens = (await browser.exchange(answer)).json()
    swapped = await browser.exchange(answer, code=tokens["refresh_token"])
    assert swapped.json()["error"] == "invalid_grant"


async def test_less_scope_may_be_asked_and_more_may_not(browser: OAuthBrowser) -> None:
    tokens = await browser.tokens(scope="openid email offline_access")

    less = (await browser.refresh(tokens["refresh_token"], scope="openid")).json()
    assert less["scope"] == "openid"
    more = await browser.refresh(less["refresh_token"], scope="openid profile")
    assert more.json()["error"] == "invalid_scope"
    again = (await browser.refresh(less["refresh_token"])).json()
    assert set(again["scope"].split()) == {"openid", "email", "offline_access"}


async def test_a_refresh_token_of_another_client_is_refused(browser: OAuthBrowser) -> None:
    tokens = await browser.tokens()

    answer = await browser.refresh(tokens["refresh_token"], client_id="other")

    assert answer.json()["error"] == "invalid_client"


async def test_revocation_ends_the_family(browser: OAuthBrowser) -> None:
    first = await browser.tokens()
    second = (await browser.refresh(first["refresh_token"])).json()

    form = {"client_id": "fleetlog-web", "token": second["refresh_token"], "token_type_hint": "refresh_token"}
    assert (await browser.post("/oauth/revoke", form)).status_code == 200

    assert (await browser.refresh(second["refresh_token"])).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("token", ["unknown", "eyJhbGciOiJSUzI1NiJ9.e30.AAAA"])
async def test_revoking_what_is_not_there_succeeds(browser: OAuthBrowser, token: str) -> None:
    answer = await browser.post("/oauth/revoke", {"client_id": "fleetlog-web", "token": token})

    assert answer.status_code == 200


@pytest.mark.parametrize(
    "form", [{"client_id": "fleetlog-web"}, {"token": "x"}, {"client_id": "other", "token": "x"}]
)
async def test_a_revocation_needs_a_client_and_a_token(browser: OAuthBrowser, form: dict[str, str]) -> None:
    answer = await browser.post("/oauth/revoke", form)

    assert answer.status_code == 400
    assert answer.json()["error_description"]


async def test_refresh_tokens_end_after_thirty_days(browser: OAuthBrowser) -> None:
    with time_machine.travel(1_900_000_000, tick=False) as clock:
        tokens = await browser.tokens()
        clock.shift(timedelta(days=30))
        assert (await browser.refresh(tokens["refresh_token"])).json()["error"] == "invalid_grant"
