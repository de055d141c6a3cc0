"""Content and expiry of valid access tokens."""

import time
from typing import Any

import pytest
import time_machine

from ops.base.sign_in import Actor, InvalidToken
from ops.base.sign_in import verifier as verifier_module
from ops.base.sign_in.verifier import TokenVerifier
from ops.testing.bad_tokens import GOOD_TIMES
from ops.testing.sign_in import SignIn
from ops.testing.token_issuer import TokenIssuer, sign_in_settings

DROP = TokenIssuer.DROP


def verifier_for(issuer: TokenIssuer) -> TokenVerifier:
    return TokenVerifier(issuer.settings())


async def reason_of_refusal(verifier: TokenVerifier, token: str) -> str:
    with pytest.raises(InvalidToken) as refusal:
        await verifier.verify(token)
    return refusal.value.reason


async def test_token_gives_actor_expiry_and_permissions(sign_in: SignIn) -> None:
    expires = int(time.time()) + 1800

    verified = await sign_in.verify(exp=expires)

    assert verified.actor == Actor("dev|asha", "Asha Menon")
    assert verified.expires_at.timestamp() == expires


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"sub": "abc@clients", "azp": "abc", "gty": "client-credentials"}, "abc"),  # Auth0
        ({"sub": "abc@clients", "client_id": "abc"}, "abc"),  # Auth0's RFC 9068 profile
        (
            {
                "sub": "6f0c5d2e-0000-4000-8000-000000000000",
                "preferred_username": "service-account-planner",
                "client_id": "Planner",
                "azp": "Planner",
            },
            "Planner",
        ),  # Keycloak
        (
            {"preferred_username": "service-account-planner", "clientId": "planner", "azp": "planner"},
            "planner",
        ),
        ({"sub": "oid", "oid": "oid", "idtyp": "app", "azp": "8b1f"}, "8b1f"),  # Entra ID
        ({"sub": "oid", "idtyp": "app", "appid": "8b1f"}, "8b1f"),
        ({"sub": "0oa1", "cid": "0oa1"}, "0oa1"),  # Okta
        ({"sub": "planner", "client_id": "planner"}, "planner"),  # RFC 9068
        ({"sub": "planner", "client_id": "planner", "name": "Route planner"}, "Route planner"),
        ({"sub": "oid", "idtyp": "app", "azp": "\u202e", "appid": ["x"]}, "oid"),
    ],
    ids=str,
)
async def test_program_is_recognised_and_named_after_its_client(
    claims: dict[str, Any], name: str, sign_in: SignIn
) -> None:
    verified = await sign_in.verify(**{"name": DROP, **claims})
    assert (verified.actor.name, verified.actor.is_program) == (name, True)


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"client_id": "fleetlog-web", "azp": "fleetlog-web"},
        {
            "name": "service-account-planner",
            "preferred_username": "service-account-planner",
            "azp": "planner",
        },
        {"preferred_username": "service-account-planner", "client_id": "fleetlog-web"},
        {"sub": "asha@clients", "azp": "fleetlog-web"},
        {"sub": "auth0|1", "azp": "abc", "gty": "password"},
        {"sub": "asha@example.com", "cid": "0oa1", "uid": "00u1"},
        {"sub": "0oa1", "cid": "0oa1", "uid": "00u1"},
        {"sub": "oid", "oid": "oid", "idtyp": "user", "azp": "8b1f"},
        {"client_id": ["dev|asha"], "clientId": 1, "azp": None},
    ],
    ids=str,
)
async def test_person_is_no_program(claims: dict[str, Any], sign_in: SignIn) -> None:
    assert not (await sign_in.verify(**claims)).actor.is_program


@pytest.mark.parametrize("typ", ["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt", "Application/JWT"])
async def test_access_tokens_come_under_these_types(typ: str, sign_in: SignIn) -> None:
    assert await sign_in.verify(header={"typ": typ})


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": ["https://api.fleetlog.example", "http://localhost:8080/userinfo"]},
        {"nbf": 0, "iat": DROP},
        {"scope": DROP},
        {"scope": 1},
        {"permissions": ["read:drivers"], "azp": "fleetlog-web"},
        {"sub": "s" * 255},
        *GOOD_TIMES,
    ],
    ids=str,
)
async def test_optional_members_of_key_sets_are_accepted(claims: dict[str, object], sign_in: SignIn) -> None:
    assert await sign_in.verify(header=None, **claims)


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"name": "  Asha \n Menon "}, "Asha Menon"),
        ({"name": "Asha\x00\x1b[31m\u202e Menon\ud800"}, "Asha[31m Menon"),
        ({"name": "ശ്രീ\u200dകുമാർ"}, "ശ്രീ\u200dകുമാർ"),
        ({"name": "A" * 5000}, "A" * 200),
        ({"name": DROP}, "dev|asha"),
        ({"name": ""}, "dev|asha"),
        ({"name": "\x00\u200d"}, "dev|asha"),
        ({"name": ["Asha"]}, "dev|asha"),
        ({"name": DROP, "https://api.fleetlog.example/name": "Asha M."}, "Asha M."),
        ({"name": DROP, "sub": "s" * 255}, "s" * 200),
    ],
)
async def test_the_name_is_bounded_and_printable_and_never_empty(
    claims: dict[str, Any], name: str, sign_in: SignIn
) -> None:
    assert (await sign_in.verify(header=None, **claims)).actor.name == name


async def test_clocks_may_differ_by_a_minute(issuer: TokenIssuer) -> None:
    verifier = verifier_for(issuer)
    with time_machine.travel(1_900_000_000, tick=False):
        now = int(time.time())
        assert await verifier.verify(issuer.token(exp=now - 59))
        assert await reason_of_refusal(verifier, issuer.token(exp=now - 60)) == "expired"
        assert await verifier.verify(issuer.token(nbf=now + 60, iat=now + 60))
        assert await reason_of_refusal(verifier, issuer.token(nbf=now + 61)) == "not-yet-valid"
        assert await reason_of_refusal(verifier, issuer.token(iat=now + 61)) == "not-yet-valid"
        assert await verifier.verify(issuer.token(exp=now - 59.5, nbf=now + 59.5, iat=now + 59.5))
        assert await reason_of_refusal(verifier, issuer.token(exp=now - 60.5)) == "expired"
        assert await reason_of_refusal(verifier, issuer.token(nbf=now + 60.5)) == "not-yet-valid"
        assert await reason_of_refusal(verifier, issuer.token(iat=now + 60.5)) == "not-yet-valid"


async def test_cached_token_expires(issuer: TokenIssuer) -> None:
    verifier = verifier_for(issuer)
    with time_machine.travel(1_900_000_000, tick=False) as clock:
        token = issuer.token(exp=1_900_000_100)
        first = await verifier.verify(token)
        assert await verifier.verify(token) is first

        clock.shift(159)
        assert await verifier.verify(token) == first
        clock.shift(1)
        assert await reason_of_refusal(verifier, token) == "expired"


async def test_token_cache_keeps_the_most_recently_used(
    issuer: TokenIssuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier_module, "CACHED_TOKENS", 2)
    verifier = verifier_for(issuer)
    often, once, last = (issuer.token(jti=jti) for jti in "abc")
    kept = await verifier.verify(often)
    forgotten = await verifier.verify(once)
    await verifier.verify(often)
    await verifier.verify(last)

    assert await verifier.verify(often) is kept
    assert await verifier.verify(once) is not forgotten


@pytest.mark.parametrize("missing", ["issuer", "audience"])
def test_verifier_requires_issuer_and_audience(missing: str) -> None:
    settings = {"issuer": "http://localhost/", "audience": "api", missing: ""}

    with pytest.raises(ValueError, match=missing):
        TokenVerifier(sign_in_settings(**settings))
