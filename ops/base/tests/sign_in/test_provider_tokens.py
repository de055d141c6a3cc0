"""Access tokens as providers make them, with their quirks, and roles that a setting maps to permissions."""

import json
import time
from typing import Any, Final

import pytest

from ops.base.http.problems import Problem
from ops.base.permissions import OF_ROLES, OF_STAFF, Permission, parse_roles
from ops.base.settings import ServiceSettings
from ops.base.sign_in import InvalidToken, SigningKeysUnavailable, VerifiedToken, require
from ops.base.sign_in.verifier import TokenVerifier
from ops.testing.company_provider import CompanyProvider
from ops.testing.conditions import wait_until
from ops.testing.token_issuer import TokenIssuer, new_key

DROP: Final = TokenIssuer.DROP
PLAIN: Final = {"typ": "JWT"}
ENTRA: Final = {"scope": DROP, "permissions": DROP, "tid": "t", "oid": "o"}
KEYCLOAK: Final = {"permissions": DROP, "typ": "Bearer", "azp": "web", "sid": "s", "acr": "1"}
"""Claims that take the place of `TokenIssuer`'s."""
GROUPS: Final = "/fleet/admins=staff, Fleet Drivers = fleet:read feed:read ,auditors=auditor"


async def verified(issuer: TokenIssuer, token: str, **more: str) -> VerifiedToken:
    return await TokenVerifier(issuer.settings(**more)).verify(token)


@pytest.mark.parametrize(
    ("header", "claims", "more", "expected"),
    [
        pytest.param(
            PLAIN,
            KEYCLOAK | {"nonce": "n", "realm_access": {"roles": ["fleet:read", "offline_access"]}},
            {"permissions_claim": "realm_access.roles"},
            {Permission.FLEET_READ},
            id="Keycloak 24, with a nonce",
        ),
        pytest.param(
            PLAIN,
            KEYCLOAK | {"resource_access": {"https://fleet.example": {"roles": ["staff"]}}},
            {"roles": "staff=staff", "roles_claim": "resource_access.https://fleet.example.roles"},
            OF_STAFF,
            id="Keycloak 26, roles of a client",
        ),
        pytest.param(
            PLAIN,
            KEYCLOAK | {"groups": ["/fleet/admins", "/else"]},
            {"roles": GROUPS, "roles_claim": "groups"},
            OF_STAFF,
            id="Keycloak 26, groups",
        ),
        pytest.param(
            PLAIN,
            ENTRA
            | {"ver": "1.0", "iss": "https://sts.windows.net/t/", "scp": "fleet:read user_impersonation"},
            {"permissions_claim": "scp roles", "token_issuer": "https://sts.windows.net/t/"},
            {Permission.FLEET_READ},
            id="Entra ID, version 1, of a user",
        ),
        pytest.param(
            PLAIN,
            ENTRA | {"ver": "2.0", "scp": "Fleet.Use", "roles": ["fleet:read", "feed:read"]},
            {"permissions_claim": "scp roles"},
            {Permission.FLEET_READ, Permission.FEED_READ},
            id="Entra ID, version 2, with app roles",
        ),
        pytest.param(
            PLAIN,
            ENTRA | {"ver": "2.0", "groups": ["0b7c-g", "Fleet Drivers"]},
            {"roles": GROUPS, "roles_claim": "groups"},
            {Permission.FLEET_READ, Permission.FEED_READ},
            id="Entra ID, groups",
        ),
        pytest.param(
            {"typ": DROP},
            {"scope": DROP, "permissions": DROP, "ver": 1, "cid": "c", "scp": ["openid", "fleet:read"]},
            {"permissions_claim": "scp"},
            {Permission.FLEET_READ},
            id="Okta, without a type",
        ),
        pytest.param(
            PLAIN,
            {"permissions": DROP, "urn:zitadel:iam:org:project:roles": {"fleet-analyst": {"1": "x.example"}}},
            {"roles": "fleet-analyst=analyst", "roles_claim": "urn:zitadel:iam:org:project:roles"},
            OF_ROLES["analyst"],
            id="Zitadel, an object of roles",
        ),
        pytest.param(
            {"typ": "at+jwt"},
            {"permissions": ["feed:read"], "nonce": "n", "https://api.fleetlog.example/roles": ["auditors"]},
            {"roles": GROUPS},
            OF_ROLES["auditor"] | {Permission.FEED_READ},
            id="Auth0, namespaced roles and permissions",
        ),
    ],
)
async def test_access_tokens_of_providers_are_accepted(
    shared_issuer: TokenIssuer,
    header: dict[str, Any],
    claims: dict[str, Any],
    more: dict[str, str],
    expected: set[Permission],
) -> None:
    token = await verified(shared_issuer, shared_issuer.token(header=header, **claims), **more)

    assert token.permissions == expected
    assert token.unmapped_claim is None


@pytest.mark.parametrize(
    ("claims", "more"),
    [
        ({"iss": "https://sts.windows.net/t/"}, {}),
        ({}, {"token_issuer": "https://sts.windows.net/t/"}),  # instead of the issuer, not in addition
    ],
)
async def test_one_issuer_is_accepted_in_access_tokens(
    shared_issuer: TokenIssuer, claims: dict[str, Any], more: dict[str, str]
) -> None:
    with pytest.raises(InvalidToken, match="issuer"):
        await verified(shared_issuer, shared_issuer.token(**claims), **more)


@pytest.mark.parametrize(
    "roles",
    [
        DROP, None, "", [], {}, 7, True, ["staff"], ["FLEET"], ["/fleet/"], ["auditors "], [["auditors"]],
        {"auditors": True}, {"auditors": []}, "Fleet Drivers", ["fleet:read"], {"roles": {"auditors": {}}},
    ],
)  # fmt: skip
async def test_unmapped_values_grant_nothing(shared_issuer: TokenIssuer, roles: Any) -> None:
    token = shared_issuer.token(permissions=DROP, groups=roles)
    found = await verified(shared_issuer, token, roles=GROUPS, roles_claim="groups")

    assert (found.permissions, found.unmapped_claim) == (frozenset(), "groups")


async def test_a_claim_whose_name_contains_dots_takes_precedence(shared_issuer: TokenIssuer) -> None:
    nested = {"a": {"b.c": ["auditors"], "b": {"c": ["other"]}}}
    for claims, roles in (
        (nested, ("auditors",)),
        ({**nested, "a.b": {"c": ["longer"]}}, ("longer",)),
        ({**nested, "a.b.c": ["whole"]}, ("whole",)),
        ({"a": {"b": ["no object"]}}, ()),
    ):
        assert (
            await verified(shared_issuer, shared_issuer.token(**claims), roles_claim="a.b.c")
        ).roles == roles


@pytest.mark.parametrize(
    "text", ["staff", "=staff", "a=", "a=owner", "a=staff,b", "a=fleet:reed", "a=fleet:read;feed:read", "a=*"]
)
def test_a_malformed_mapping_is_refused_at_the_start(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETLOG_DATABASE", "postgresql://127.0.0.1:1/none")
    monkeypatch.setenv("FLEETLOG_ROLES", f"fleet=staff,{text}")
    with pytest.raises(SystemExit) as refused:
        ServiceSettings.load()
    number = 3 if "b" in text.split(",")[-1:] else 2
    assert str(refused.value).startswith(
        f"FLEETLOG_ROLES: entry {number} must be VALUE=ROLE, where ROLE is one of"
    )
    assert "staff, auditor, analyst, operator, privacy-officer" in str(refused.value)


def test_a_mapping_names_roles_and_permissions() -> None:
    assert parse_roles(" , ") == {}
    assert parse_roles("a=b=analyst,c=fleet:write operator,c=fleet:remove") == {
        "a=b": OF_ROLES["analyst"],
        "c": OF_ROLES["operator"] | {Permission.FLEET_WRITE, Permission.FLEET_REMOVE},
    }


async def test_mapped_roles_are_shown_first(shared_issuer: TokenIssuer) -> None:
    groups = [f"group-{number}" for number in range(50)]
    token = shared_issuer.token(groups=[*groups, "auditors"])
    found = await verified(shared_issuer, token, roles=GROUPS, roles_claim="groups")

    assert found.roles == ("auditors", *groups[:19])


async def test_a_refusal_names_the_claim_that_was_read(shared_issuer: TokenIssuer) -> None:
    async def refused(**claims: Any) -> str:
        token = shared_issuer.token(permissions=DROP, **claims)
        found = await verified(shared_issuer, token, roles=GROUPS, roles_claim="groups")
        with pytest.raises(Problem) as refusal:
            require(found, Permission.AUDIT_REVEAL)
        return str(refusal.value.detail)

    detail = await refused(groups=["secret-project"])
    assert "None of the values of the claim groups in your access token is mapped" in detail
    assert "FLEETLOG_ROLES" in detail
    assert "secret-project" not in detail
    assert "has no values in the claim groups" in await refused()
    assert "FLEETLOG_ROLES" not in await refused(groups=["Fleet Drivers"])


def openid_verifier(company: CompanyProvider) -> TokenVerifier:
    return TokenVerifier(company.settings(sign_in="oidc", jwks_url=None), min_refetch_interval=0)


@pytest.mark.parametrize("path", ["/realms/fleet", "/application/o/fleet/", ""])
async def test_keys_are_found_by_discovery_and_followed(path: str) -> None:
    with CompanyProvider(audience="apis", client_id="web", path=path) as company:
        async with openid_verifier(company) as verifier:
            await wait_until(lambda: verifier.ready)
            await verifier.verify(company.token())
            company.keys = {"second": new_key()}
            company.further = {"jwks_uri": f"{company.origin}/moved/keys"}
            assert (await verifier.verify(company.token())).actor.sub == "dev|asha"
            company.further = {"issuer": "https://evil.example", "jwks_uri": "http://127.0.0.1:1/"}
            company.keys["third"] = new_key()
            assert await verifier.verify(
                company.token(header={"kid": "third"})
            )  # from the last known address


@pytest.mark.parametrize(
    "further",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"jwks_uri": "http://tenant.example/keys"},
        {"jwks_uri": None},
        {"jwks_uri": ["x"]},
    ],
    ids=json.dumps,
)
async def test_metadata_of_others_or_without_https_names_no_keys(further: dict[str, Any]) -> None:
    with CompanyProvider(audience="apis", client_id="web", path="/realms/fleet") as company:
        company.further = further
        with pytest.raises(SigningKeysUnavailable):
            await openid_verifier(company).verify(company.token())


async def test_times_with_fractions_of_seconds_are_accepted(issuer: TokenIssuer) -> None:
    now = time.time()
    token = issuer.token(iat=now - 0.25, nbf=now - 0.75, exp=now + 3600.5)
    found = await verified(issuer, token)
    assert found.expires_at.timestamp() == pytest.approx(now + 3600.5)
    assert found.issued_at is not None
    assert found.issued_at.timestamp() == int(now - 0.25)
