"""Keycloak's tokens, and bad ones with its claims, from a recording that is compared with a live Keycloak."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ops.base.permissions import OF_ROLES, parse_roles
from ops.base.sign_in.actor import Actor
from ops.base.sign_in.refusal import InvalidToken, Reason
from ops.base.sign_in.verifier import TokenVerifier
from ops.testing.bad_tokens import CORPUS
from ops.testing.conditions import wait_until
from ops.testing.keycloak import Keycloak
from ops.testing.provider_tokens import ProviderTokens, load_recording, record
from ops.testing.token_issuer import sign_in_settings

AUDIENCE = "https://api.fleetlog.example"


@asynccontextmanager
async def verifying(issuer: str, jwks_url: str | None, **options: Any) -> AsyncIterator[TokenVerifier]:
    """Run a verifier that has loaded an issuer's keys."""
    settings = sign_in_settings(
        *(issuer, AUDIENCE), sign_in="oidc", jwks_url=jwks_url, client_id="fleetlog-web", **options
    )
    async with TokenVerifier(settings) as verifier:

        async def ready() -> bool:
            return verifier.ready

        await wait_until(ready)
        yield verifier


@pytest.fixture(scope="module")
def tokens() -> Iterator[ProviderTokens]:
    """Tokens with Keycloak's claims."""
    with ProviderTokens() as issuer:
        yield issuer


@pytest.fixture(scope="module")
async def verifier(tokens: ProviderTokens) -> AsyncIterator[TokenVerifier]:
    async with verifying(tokens.issuer, tokens.jwks_url) as verifier:
        yield verifier


async def refusal(verifier: TokenVerifier, token: str) -> Reason | None:
    try:
        await verifier.verify(token)
    except InvalidToken as error:
        return error.reason
    return None


async def test_access_token_has_name_roles_permissions_and_session(
    tokens: ProviderTokens, verifier: TokenVerifier
) -> None:
    verified = await verifier.verify(tokens.of_kind("access"))

    claims = tokens.recording["tokens"]["access"]["claims"]
    assert verified.actor == Actor(claims["sub"], "Asha Menon", is_program=False)
    assert verified.permissions == OF_ROLES["staff"]
    assert verified.roles == ("staff",)
    assert verified.session == claims["sid"]


async def test_program_has_the_permissions_of_its_role(
    tokens: ProviderTokens, verifier: TokenVerifier
) -> None:
    verified = await verifier.verify(tokens.of_kind("program"))
    assert (verified.permissions, verified.session) == (OF_ROLES["staff"], None)
    assert (verified.actor.name, verified.actor.is_program) == ("fleetlog-importer", True)


@pytest.mark.parametrize(
    ("claim", "mapping"),
    [("groups", "dispatchers=staff"), ("realm_access.roles", "staff=staff"), ("roles", "staff=staff")],
)
async def test_groups_and_roles_are_mapped(tokens: ProviderTokens, claim: str, mapping: str) -> None:
    options = {"permissions_claim": "none", "roles_claim": claim, "roles": parse_roles(mapping)}
    async with verifying(tokens.issuer, None, **options) as verifier:
        verified = await verifier.verify(tokens.of_kind("access"))
    assert verified.permissions == OF_ROLES["staff"]


@pytest.mark.parametrize(
    ("kind", "reason"), [("id", "id-token"), ("logout", "type"), ("refresh", "algorithm")]
)
async def test_other_tokens_are_no_access_tokens(
    tokens: ProviderTokens, verifier: TokenVerifier, kind: str, reason: Reason
) -> None:
    assert await refusal(verifier, tokens.of_kind(kind)) == reason


async def test_logout_token_names_the_session(tokens: ProviderTokens, verifier: TokenVerifier) -> None:
    logout = await verifier.verify_logout(tokens.of_kind("logout"))
    claims = tokens.recording["tokens"]["access"]["claims"]
    assert (logout.subject, logout.session) == (claims["sub"], claims["sid"])


async def test_bad_tokens_with_the_claims_of_the_provider_are_refused(
    tokens: ProviderTokens, verifier: TokenVerifier
) -> None:
    refusals = {bad.name: (await refusal(verifier, bad.build(tokens)), bad.reason) for bad in CORPUS}
    assert {name: found for name, found in refusals.items() if found[0] != found[1]} == {}
    assert await refusal(verifier, tokens.token()) is None


@pytest.mark.integration
def test_recording_is_of_this_keycloak(keycloak: Keycloak) -> None:
    current = record(keycloak.create_realm("recorded"))
    assert shape(current) == shape(load_recording()), "record it again: see ops/keycloak/README.md"


def shape(value: object) -> object:
    """Return the names of members, at all depths."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in sorted(value.items())}
    return None
