"""Signing in, staying so and signing out, as the browser library does it, and what comes of it."""

import sqlite3
import time
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from joserfc import jwt
from joserfc.jwk import KeySet

from ops.base.permissions import OF_ROLES, ROLES
from ops.base.sign_in import Actor, InvalidToken
from ops.base.sign_in.verifier import TokenVerifier
from ops.development.identity_provider.store import Store, digest
from ops.development.identity_provider.users import USERS, User
from ops.testing.oauth_browser import OAuthBrowser, answer_parameters
from ops.testing.token_issuer import sign_in_settings

ISSUER = "http://localhost:8080/"
AUDIENCE = "https://api.fleetlog.example"


async def claims_of(browser: OAuthBrowser, token: str) -> dict[str, Any]:
    """The claims of a token, whose signature fits the published key."""
    keys = KeySet.import_key_set((await browser.http.get("/.well-known/jwks.json")).json())
    return jwt.decode(token, keys, ["RS256"]).claims


async def verifier(browser: OAuthBrowser) -> TokenVerifier:
    keys = f"{browser.http.base_url}/.well-known/jwks.json"
    return TokenVerifier(sign_in_settings(ISSUER, AUDIENCE, jwks_url=keys))


async def is_signed_in(browser: OAuthBrowser) -> bool:
    return "code" in answer_parameters(await browser.authorize(prompt="none"))


async def error_of(browser: OAuthBrowser, **form: str | None) -> str:
    """Why the token endpoint refuses."""
    answer = await browser.token(**form)
    assert answer.status_code == 400
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json()["error_description"]
    return str(answer.json()["error"])


async def refusal_of(browser: OAuthBrowser, refresh_token: str | None) -> str:
    return await error_of(browser, grant_type="refresh_token", refresh_token=refresh_token)


# --- programs


async def test_program_gets_a_token_of_its_own(browser: OAuthBrowser) -> None:
    grant, wanted = (
        {"grant_type": "client_credentials"},
        {"dispatch-planner": "staff", "data-warehouse": "analyst"},
    )
    for client_id, role in wanted.items():
        form = {**grant, "client_id": client_id, "client_secret": client_id, "audience": AUDIENCE}
        answer = await browser.http.post("/oauth/token", data=form)
        basic = await browser.http.post("/oauth/token", data=grant, auth=(client_id, client_id))
        assert answer.json().keys() == basic.json().keys() == {"access_token", "token_type", "expires_in"}
        async with await verifier(browser) as verifying:
            for given in (answer, basic):
                verified = await verifying.verify(given.json()["access_token"])
                assert verified.actor == Actor(client_id, client_id, is_program=True)
                assert verified.roles == (role,)


@pytest.mark.parametrize(
    ("form", "authorization"),
    [
        ({"client_id": "fleetlog-web", "client_secret": "fleetlog-web"}, None),
        ({"client_id": "dispatch-planner", "client_secret": "data-warehouse"}, None),
        ({"client_id": "dispatch-planner"}, None),
        ({}, None),
        ({}, "Basic !"),
        ({}, "Basic w6k6w6k="),
        ({}, "Basic JUU5OiVFOQ=="),
        ({}, "Bearer dispatch-planner"),
    ],
    ids=str,
)
async def test_program_without_its_secret_is_refused(
    browser: OAuthBrowser, form: dict[str, str], authorization: str | None
) -> None:
    answer = await browser.http.post(
        "/oauth/token",
        data={"grant_type": "client_credentials", **form},
        headers={"Authorization": authorization} if authorization else {},
    )
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_client")


async def test_program_is_refused_another_audience(browser: OAuthBrowser) -> None:
    form = {
        "client_id": "data-warehouse",
        "client_secret": "data-warehouse",
        "audience": "https://other.example",
    }
    answer = await browser.http.post("/oauth/token", data={"grant_type": "client_credentials", **form})
    assert (answer.status_code, answer.json()["error"]) == (400, "access_denied")


@pytest.mark.parametrize(
    ("name", "sub"), [("auditor", "dev|daniel"), ("dev|rohan", "dev|rohan"), ("farah", "dev|farah")]
)
async def test_command_line_gets_a_users_token_for_an_hour(
    browser: OAuthBrowser, name: str, sub: str
) -> None:
    form = {"grant_type": "client_credentials", "client_id": name, "client_secret": name}
    tokens = (await browser.http.post("/oauth/token", data=form)).json()
    assert (tokens.keys(), tokens["expires_in"]) == ({"access_token", "token_type", "expires_in"}, 3600)
    claims = await claims_of(browser, tokens["access_token"])
    assert (claims["sub"], claims["exp"] - claims["iat"]) == (sub, 3600)
    form = {name: "unknown" if name != "grant_type" else value for name, value in form.items()}
    refusal = (await browser.http.post("/oauth/token", data=form)).json()
    assert "choose one of: staff, auditor, analyst" in refusal["error_description"]


# --- in the browser


async def test_sign_in_is_unavailable_while_sessions_cannot_be_stored(
    browser: OAuthBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "start_session", full)
    page = await browser.sign_in()
    assert (page.status_code, page.headers["retry-after"]) == (503, "1")


async def test_application_gets_tokens_of_the_chosen_user(browser: OAuthBrowser) -> None:
    page = await browser.authorize()
    assert page.status_code == 200
    for name in ("development only", *ROLES, *(user.name for user in USERS.values())):
        assert name in page.text

    answer = await browser.choose(page, "dev|rohan")
    assert answer.status_code == 302
    assert answer.headers["location"].startswith("http://localhost:8080?code=")
    assert answer_parameters(answer)["state"] == "the-state~"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("fleetlog_idp_session=")
    for attribute in ("HttpOnly", "Max-Age=86400", "SameSite=lax", "Path=/"):
        assert attribute in cookie

    tokens = (await browser.exchange(answer)).json()
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 600)
    assert set(tokens["scope"].split()) == {"openid", "profile", "email", "offline_access"}
    assert tokens["refresh_token"]


async def test_the_id_token_satisfies_the_checks_of_the_browser_library(browser: OAuthBrowser) -> None:
    tokens = await browser.tokens("dev|rohan")
    claims = await claims_of(browser, tokens["id_token"])
    assert (claims["iss"], claims["aud"], claims["nonce"]) == (ISSUER, "fleetlog-web", "the-nonce")
    assert (claims["sub"], claims["name"]) == ("dev|rohan", "Rohan Gupta")
    assert claims["email"] == "rohan.gupta@fleetlog.example"
    assert claims["picture"].startswith("data:image/svg+xml,")
    assert claims["auth_time"] <= claims["iat"] <= time.time() < claims["exp"]
    with pytest.raises(InvalidToken):  # it is for the application, not for the APIs
        await (await verifier(browser)).verify(tokens["id_token"])


@pytest.mark.parametrize("user", USERS.values(), ids=lambda user: user.sub)
async def test_access_tokens_have_permissions_and_roles(browser: OAuthBrowser, user: User) -> None:
    token = (await browser.tokens(user.sub))["access_token"]
    verified = await (await verifier(browser)).verify(token)
    assert verified.actor == Actor(user.sub, user.name)
    assert verified.permissions == OF_ROLES[user.role]
    assert verified.roles == (user.role,)
    assert 0 < verified.expires_at.timestamp() - time.time() <= 600
    assert (await claims_of(browser, token))["permissions"] == sorted(OF_ROLES[user.role])


async def test_tokens_name_their_session_without_its_secret(
    browser: OAuthBrowser,
) -> None:
    tokens = await browser.tokens()
    secret = browser.http.cookies["fleetlog_idp_session"]
    refreshed = (await browser.refresh(tokens["refresh_token"])).json()
    again = (await browser.exchange(await browser.authorize())).json()
    other = await browser.tokens(prompt="login")

    (same,) = {
        (await claims_of(browser, answer[kind]))["sid"]
        for answer in (tokens, refreshed, again)
        for kind in ("access_token", "id_token")
    }
    assert (await claims_of(browser, other["access_token"]))["sid"] != same
    assert same not in {secret, digest(secret)}


async def test_only_requested_scopes_are_granted(browser: OAuthBrowser) -> None:
    tokens = await browser.tokens(scope="openid read:everything")
    assert tokens["scope"] == "openid"
    assert "refresh_token" not in tokens
    assert "name" not in await claims_of(browser, tokens["id_token"])
    assert "id_token" not in await browser.tokens(scope="profile", prompt="login")


async def test_user_with_a_session_is_asked_again_only_on_request(
    browser: OAuthBrowser,
) -> None:
    await browser.sign_in("dev|daniel")
    answer = await browser.authorize(state="another")
    assert answer_parameters(answer)["state"] == "another"
    tokens = (await browser.exchange(answer)).json()
    assert (await claims_of(browser, tokens["id_token"]))["sub"] == "dev|daniel"

    page = await browser.authorize(prompt="login")
    assert page.status_code == 200
    assert "code" in answer_parameters(await browser.choose(page, "dev|rohan"))


async def test_a_session_ends_after_a_day(browser: OAuthBrowser) -> None:
    with time_machine.travel(1_900_000_000, tick=False) as clock:
        await browser.sign_in()
        clock.shift(timedelta(hours=24) - timedelta(seconds=1))
        assert await is_signed_in(browser)
        clock.shift(timedelta(seconds=1))
        assert not await is_signed_in(browser)


async def test_cancelled_sign_in_returns_an_error(browser: OAuthBrowser) -> None:
    answer = await browser.choose(await browser.authorize(), user="", cancel="1")
    assert answer_parameters(answer)["error"] == "access_denied"
    assert answer_parameters(answer)["error_description"]
    assert answer_parameters(answer)["state"] == "the-state~"
    assert not await is_signed_in(browser)


async def test_metadata_describes_the_endpoints(browser: OAuthBrowser) -> None:
    metadata = (await browser.http.get("/.well-known/openid-configuration")).json()
    assert metadata["issuer"] == ISSUER
    assert metadata["code_challenge_methods_supported"] == ["S256"]
    assert metadata["fleetlog_development"] is True
    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
        path = metadata[name].removeprefix(ISSUER)
        assert (await browser.http.options(f"/{path}")).status_code == 405  # it exists
    (key,) = (await browser.http.get("/.well-known/jwks.json")).json()["keys"]
    assert set(key) == {"kty", "n", "e", "kid", "use", "alg"}  # the public half
    for path in ("/livez", "/readyz"):
        assert (await browser.http.get(path)).status_code == 200


# --- silently


async def test_silent_request_without_a_session_requires_login(browser: OAuthBrowser) -> None:
    assert answer_parameters(await browser.authorize(prompt="none")) == {
        "error": "login_required",
        "error_description": "Login required",
        "state": "the-state~",
    }


# --- codes


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": None}, "invalid_grant"),
        ({"code": "unknown"}, "invalid_grant"),
        ({"redirect_uri": "http://localhost:8080/elsewhere"}, "invalid_grant"),
        ({"redirect_uri": None}, "invalid_grant"),
        ({"client_id": "someone-else"}, "invalid_client"),
        ({"client_id": None}, "invalid_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": "refresh_token"}, "invalid_grant"),
        ({"grant_type": None}, "unsupported_grant_type"),
        ({"code_verifier": "é" * 43}, "invalid_request"),
    ],
    ids=str,
)
async def test_code_needs_verifier_client_and_redirect_address(
    browser: OAuthBrowser, changes: dict[str, str | None], error: str
) -> None:
    answer = await browser.sign_in()
    refusal = await browser.exchange(answer, **changes)
    assert (refusal.status_code, refusal.json()["error"]) == (400, error)
    assert (await browser.exchange(answer)).status_code == 200  # the code was not used up


async def test_second_use_of_a_code_revokes_its_tokens(
    browser: OAuthBrowser,
) -> None:
    answer = await browser.sign_in()
    tokens = (await browser.exchange(answer)).json()
    replay = await browser.exchange(answer)
    assert (replay.status_code, replay.json()["error"]) == (400, "invalid_grant")
    assert await refusal_of(browser, tokens["refresh_token"]) == "invalid_grant"


async def test_code_is_valid_for_a_minute(browser: OAuthBrowser) -> None:
    with time_machine.travel(1_900_000_000, tick=False) as clock:
        early, late = await browser.sign_in(), await browser.sign_in(prompt="login")
        clock.shift(timedelta(seconds=59))
        assert (await browser.exchange(early)).status_code == 200
        clock.shift(timedelta(seconds=1))
        assert (await browser.exchange(late)).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"response_mode": "form_post"}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "unsupported_response_type"),
        ({"audience": "https://other.example"}, "access_denied"),
    ],
    ids=str,
)
async def test_incomplete_request_returns_an_error(
    browser: OAuthBrowser, changes: dict[str, str | None], error: str
) -> None:
    answer = await browser.authorize(**changes)
    assert answer.headers["location"].startswith("http://localhost:8080?")
    parameters = answer_parameters(answer)
    assert (parameters["error"], parameters["state"]) == (error, "the-state~")
    assert parameters["error_description"]


# --- refresh tokens


async def test_refresh_token_yields_new_tokens(browser: OAuthBrowser) -> None:
    with time_machine.travel(1_900_000_000, tick=False) as clock:
        first = await browser.tokens()
        clock.shift(timedelta(hours=1))
        answer = await browser.refresh(first["refresh_token"], scope=first["scope"])
        second = answer.json()
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert second["scope"] == first["scope"]
    assert second["access_token"] != first["access_token"]
    keys = KeySet.import_key_set((await browser.http.get("/.well-known/jwks.json")).json())
    claims = jwt.decode(second["id_token"], keys, ["RS256"]).claims
    assert (claims["auth_time"], claims["iat"]) == (1_900_000_000, 1_900_003_600)
    assert "nonce" not in claims


async def test_second_use_of_a_refresh_token_revokes_its_family(
    browser: OAuthBrowser,
) -> None:
    first, other = await browser.tokens(), await browser.tokens(prompt="login")
    second = (await browser.refresh(first["refresh_token"])).json()
    third = (await browser.refresh(second["refresh_token"])).json()
    for tokens in (first, second, third):
        assert await refusal_of(browser, tokens["refresh_token"]) == "invalid_grant"
    assert (await browser.refresh(other["refresh_token"])).status_code == 200


@pytest.mark.parametrize("refresh_token", [None, "", "unknown", "x" * 2048])
async def test_invalid_refresh_token_has_the_error_of_auth0(
    browser: OAuthBrowser, refresh_token: str | None
) -> None:
    assert await refusal_of(browser, refresh_token) == "invalid_grant"
    # The library falls back to silent login (`useRefreshTokensFallback`) when it reads these words.
    description = (await browser.refresh(refresh_token)).json()["error_description"]
    assert "invalid refresh token" in description


async def test_a_refresh_token_is_no_code_and_a_code_no_refresh_token(browser: OAuthBrowser) -> None:
    answer = await browser.sign_in()
    assert await refusal_of(browser, answer_parameters(answer)["code"]) == "invalid_grant"
    tokens = (await browser.exchange(answer)).json()
    swapped = await browser.exchange(answer, code=tokens["refresh_token"])
    assert swapped.json()["error"] == "invalid_grant"


async def test_refresh_tokens_expire_after_thirty_days(browser: OAuthBrowser) -> None:
    with time_machine.travel(1_900_000_000, tick=False) as clock:
        tokens = await browser.tokens()
        clock.shift(timedelta(days=30))
        assert await refusal_of(browser, tokens["refresh_token"]) == "invalid_grant"


# --- signing out


async def logout(browser: OAuthBrowser, **parameters: str) -> tuple[int, str | None]:
    answer = await browser.http.get("/v2/logout", params={"client_id": "fleetlog-web", **parameters})
    return answer.status_code, answer.headers.get("location")


@pytest.mark.parametrize(
    "back", ["http://localhost:8080", "http://localhost:8080/", "http://localhost:5173/a?b=c"]
)
async def test_sign_out_ends_the_session_and_redirects(browser: OAuthBrowser, back: str) -> None:
    await browser.sign_in()
    cookie = browser.http.cookies["fleetlog_idp_session"]
    assert await is_signed_in(browser)
    assert await logout(browser, returnTo=back) == (302, back)
    assert not await is_signed_in(browser)
    browser.http.cookies.set("fleetlog_idp_session", cookie)  # a copy is worth nothing
    assert not await is_signed_in(browser)
    assert await logout(browser) == (302, "http://localhost:8080")


async def test_sign_out_revokes_refresh_tokens_of_that_browser_only(
    browser: OAuthBrowser, address: str
) -> None:
    async with OAuthBrowser(address) as other:
        here, there = await browser.tokens(), await other.tokens()
        await logout(browser)
        assert await refusal_of(browser, here["refresh_token"]) == "invalid_grant"
        assert (await other.refresh(there["refresh_token"])).status_code == 200


@pytest.mark.parametrize("back", ["http://evil.example/", "//evil.example", "javascript:alert(1)", "/", "é"])
async def test_sign_out_redirects_to_allowed_addresses_only(browser: OAuthBrowser, back: str) -> None:
    await browser.sign_in()
    assert await logout(browser, returnTo=back) == (400, None)
    assert not await is_signed_in(browser)


async def end_session(browser: OAuthBrowser, **parameters: str) -> tuple[int, str | None]:
    answer = await browser.http.get("/idp/logout", params=parameters)
    return answer.status_code, answer.headers.get("location")


async def test_openid_client_signs_out_with_its_id_token_or_its_id(browser: OAuthBrowser) -> None:
    tokens = await browser.tokens()
    back = {"post_logout_redirect_uri": "http://localhost:8080"}
    answer = await end_session(browser, id_token_hint=tokens["id_token"], state="s~", **back)
    assert answer == (302, "http://localhost:8080?state=s~")
    assert not await is_signed_in(browser)
    assert await refusal_of(browser, tokens["refresh_token"]) == "invalid_grant"
    assert await end_session(browser, client_id="fleetlog-web", **back) == (302, "http://localhost:8080")


@pytest.mark.parametrize("reason", ["no hint", "another client", "access token", "damaged", "address"])
async def test_request_to_sign_out_that_is_not_the_clients_ends_nothing(
    browser: OAuthBrowser, reason: str
) -> None:
    tokens = await browser.tokens()
    hint = {"id_token_hint": tokens["id_token"]}
    parameters = {
        "no hint": {},
        "another client": {"client_id": "another", **hint},
        "access token": {"id_token_hint": tokens["access_token"]},
        "damaged": {"id_token_hint": tokens["id_token"][:-5]},
        "address": {"post_logout_redirect_uri": "http://evil.example/", **hint},
    }[reason]
    assert await end_session(browser, **parameters) == (400, None)
    assert await is_signed_in(browser) is (reason != "address")
