"""Signing in, as the browser library does it, and what comes of it."""

import base64
import json
import time
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from ops.base.permissions import OF_STAFF
from ops.base.sign_in import Actor, InvalidToken
from ops.base.sign_in.verifier import TokenVerifier
from ops.launcher.identity_provider.roles import PERMISSIONS, ROLES
from ops.launcher.identity_provider.store import digest
from ops.launcher.identity_provider.users import USERS, User
from ops.testing.oauth_browser import OAuthBrowser, answer_parameters

ISSUER = "http://localhost:8080/"
AUDIENCE = "https://api.fleetlog.example"
NESTED = f"Bearer {base64.urlsafe_b64encode(b'[' * 3000).decode()}.e30.AAAA"


def claims_of(token: str) -> dict[str, Any]:
    """The claims of a token that somebody else verifies."""
    payload = token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return claims


async def id_token_claims(browser: OAuthBrowser, id_token: str) -> dict[str, object]:
    keys = KeySet.import_key_set((await browser.http.get("/.well-known/jwks.json")).json())
    token = jwt.decode(id_token, keys, ["RS256"])
    assert token.header["typ"] == "JWT"
    return token.claims


async def test_a_user_is_chosen_and_the_application_gets_tokens(browser: OAuthBrowser) -> None:
    page = await browser.authorize()
    assert page.status_code == 200
    for name in (
        "Asha Menon",
        "Rohan Gupta",
        "Farah Khan",
        "Daniel Okafor",
        "Mei Lin",
        "development only",
        *ROLES,
    ):
        assert name in page.text

    answer = await browser.choose(page, "dev|rohan")
    assert answer.status_code == 302
    assert answer.headers["location"].startswith("http://localhost:8080?code=")
    assert answer_parameters(answer)["state"] == "the-state~"

    tokens = (await browser.exchange(answer)).json()
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 600
    assert set(tokens["scope"].split()) == {"openid", "profile", "email", "offline_access"}
    assert tokens["refresh_token"]


async def test_the_id_token_satisfies_the_checks_of_the_browser_library(browser: OAuthBrowser) -> None:
    before = int(time.time())
    tokens = await browser.tokens("dev|rohan")

    claims = await id_token_claims(browser, tokens["id_token"])

    assert claims["iss"] == ISSUER
    assert claims["aud"] == "fleetlog-web"
    assert claims["nonce"] == "the-nonce"
    assert (claims["sub"], claims["name"], claims["email"]) == (
        "dev|rohan",
        "Rohan Gupta",
        "rohan.gupta@fleetlog.example",
    )
    assert str(claims["picture"]).startswith("data:image/svg+xml,")
    now = int(time.time())
    assert all(isinstance(claims[name], int) for name in ("exp", "iat", "auth_time"))
    assert before <= int(str(claims["auth_time"])) <= int(str(claims["iat"])) <= now < int(str(claims["exp"]))


async def test_the_apis_accept_the_access_token_and_refuse_the_id_token(
    browser: OAuthBrowser, address: str
) -> None:
    verifier = TokenVerifier(ISSUER, AUDIENCE, f"{address}/.well-known/jwks.json")
    tokens = await browser.tokens("dev|farah")

    verified = await verifier.verify(tokens["access_token"])

    assert verified.actor == Actor("dev|farah", "Farah Khan")
    assert verified.permissions == OF_STAFF
    assert verified.roles == ("staff",)
    assert 0 < verified.expires_at.timestamp() - time.time() <= 600
    with pytest.raises(InvalidToken):
        await verifier.verify(tokens["id_token"])


@pytest.mark.parametrize("user", USERS, ids=lambda user: user.sub)
async def test_access_tokens_say_what_each_may_do_and_what_that_is_called(
    browser: OAuthBrowser, address: str, user: User
) -> None:
    tokens = await browser.tokens(user.sub)
    verifier = TokenVerifier(ISSUER, AUDIENCE, f"{address}/.well-known/jwks.json")

    verified = await verifier.verify(tokens["access_token"])

    assert verified.permissions == PERMISSIONS[user.role]
    assert verified.roles == (user.role,)
    claims = claims_of(tokens["access_token"])
    assert claims["permissions"] == sorted(PERMISSIONS[user.role])
    assert claims["roles"] == [user.role]
    assert "permissions" not in await id_token_claims(browser, tokens["id_token"])


def test_there_is_somebody_with_each_role() -> None:
    assert {user.role for user in USERS} == set(ROLES)


async def test_tokens_name_the_session_that_they_are_given_in_and_not_its_secret(
    browser: OAuthBrowser,
) -> None:
    tokens = await browser.tokens()
    secret = browser.http.cookies["fleetlog_idp_session"]
    refreshed = (await browser.refresh(tokens["refresh_token"])).json()
    again = (await browser.exchange(await browser.authorize())).json()
    other = await browser.tokens(prompt="login")

    sids = [
        [
            claims_of(answer["access_token"])["sid"],
            (await id_token_claims(browser, answer["id_token"]))["sid"],
        ]
        for answer in (tokens, refreshed, again, other)
    ]
    (same,) = {sid for pair in sids[:3] for sid in pair}
    assert sids[3][0] == sids[3][1] != same
    assert same not in {secret, digest(secret)}


async def test_userinfo_has_what_the_scope_allows(browser: OAuthBrowser) -> None:
    async def userinfo(scope: str) -> dict[str, object]:
        tokens = await browser.tokens("dev|mei", scope=scope, prompt="login")
        answer = await browser.http.get(
            "/userinfo", headers={"Authorization": f"Bearer {tokens['access_token']}"}
        )
        assert answer.status_code == 200
        claims: dict[str, object] = answer.json()
        return claims

    assert await userinfo("openid") == {"sub": "dev|mei"}
    assert (await userinfo("openid email"))["email"] == "mei.lin@fleetlog.example"
    assert (await userinfo("openid profile"))["name"] == "Mei Lin"


@pytest.mark.parametrize(
    "authorization", [None, "Bearer", "Bearer abc", "Bearer é", "Basic YTpi", "ID", NESTED]
)
async def test_userinfo_refuses_what_is_no_access_token(
    browser: OAuthBrowser, authorization: str | None
) -> None:
    if authorization == "ID":
        authorization = f"Bearer {(await browser.tokens())['id_token']}"
    headers = [(b"Authorization", authorization.encode())] if authorization else []

    answer = await browser.http.get("/userinfo", headers=headers)

    assert answer.status_code == 401
    assert answer.json()["error"] == "invalid_token"
    assert answer.json()["error_description"]
    assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_who_has_a_session_is_not_asked_again(browser: OAuthBrowser) -> None:
    await browser.sign_in("dev|daniel")

    answer = await browser.authorize(state="another")

    assert answer.status_code == 302
    assert answer_parameters(answer)["state"] == "another"
    tokens = (await browser.exchange(answer)).json()
    assert (await id_token_claims(browser, tokens["id_token"]))["sub"] == "dev|daniel"


async def test_the_session_cookie_is_for_one_day_and_for_no_script(browser: OAuthBrowser) -> None:
    cookie = (await browser.sign_in()).headers["set-cookie"]

    assert cookie.startswith("fleetlog_idp_session=")
    for attribute in ("HttpOnly", "Max-Age=86400", "SameSite=lax", "Path=/"):
        assert attribute in cookie


async def test_without_offline_access_there_is_no_refresh_token(browser: OAuthBrowser) -> None:
    tokens = await browser.tokens(scope="openid profile")

    assert "refresh_token" not in tokens
    assert tokens["scope"] == "openid profile"


async def test_scopes_that_do_not_exist_are_dropped(browser: OAuthBrowser) -> None:
    assert (await browser.tokens(scope="openid read:everything admin"))["scope"] == "openid"


async def test_without_openid_there_is_no_id_token(browser: OAuthBrowser) -> None:
    tokens = await browser.tokens(scope="profile")

    assert "id_token" not in tokens
    assert tokens["access_token"]


async def test_whoever_cancels_goes_back_with_an_error(browser: OAuthBrowser) -> None:
    answer = await browser.choose(await browser.authorize(), user="", cancel="1")

    assert answer.status_code == 302
    assert answer_parameters(answer)["error"] == "access_denied"
    assert answer_parameters(answer)["error_description"]
    assert answer_parameters(answer)["state"] == "the-state~"
    assert (await browser.authorize()).status_code == 200  # nobody is signed in


async def test_the_metadata_describes_what_is_there(browser: OAuthBrowser) -> None:
    metadata = (await browser.http.get("/.well-known/openid-configuration")).json()

    assert metadata["issuer"] == ISSUER
    assert metadata["code_challenge_methods_supported"] == ["S256"]
    assert metadata["id_token_signing_alg_values_supported"] == ["RS256"]
    for name in ("authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"):
        assert metadata[name].startswith(ISSUER)
        path = metadata[name].removeprefix(ISSUER)
        assert (await browser.http.options(f"/{path}")).status_code == 405  # it exists


async def test_only_the_public_half_of_the_key_is_published(browser: OAuthBrowser) -> None:
    (key,) = (await browser.http.get("/.well-known/jwks.json")).json()["keys"]

    assert set(key) == {"kty", "n", "e", "kid", "use", "alg"}
    assert (key["kty"], key["use"], key["alg"]) == ("RSA", "sig", "RS256")


@pytest.mark.parametrize("path", ["/livez", "/readyz"])
async def test_health(browser: OAuthBrowser, path: str) -> None:
    assert (await browser.http.get(path)).status_code == 200
