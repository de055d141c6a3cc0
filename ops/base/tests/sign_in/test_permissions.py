"""A token grants the permissions of its claim, and those of everyone."""

from typing import Any

import pytest

from ops.base.permissions import OF_STAFF, Permission
from ops.base.sign_in import VerifiedToken
from ops.base.sign_in.verifier import TokenVerifier
from ops.testing.token_issuer import TokenIssuer

NAMESPACED = "https://api.fleetlog.example/permissions"
GARBAGE: list[Any] = [
    None, TokenIssuer.DROP, "", " ", 0, 1, True, 1.5, {}, {"fleet:read": True}, [], [[]], [["fleet:read"]],
    [None, 1, True, {}], "fleet", "read", "*", "fleet:*", "FLEET:READ", "fleet:read,fleet:write",
    "fleet:read\0", ["fleet:read fleet:write"], ["fleet:read "], ["*"], ["fleet"], ["admin"], "ﬂeet:read",
    ["fleet\uff1aread"], ["fleet:read\n"], "x" * 5000, ["x"] * 500,
]  # fmt: skip


async def verified(issuer: TokenIssuer, claims: dict[str, Any], **more: str) -> VerifiedToken:
    return await TokenVerifier(issuer.settings(**more)).verify(issuer.token(**claims))


@pytest.mark.parametrize(
    ("claims", "more"),
    [
        ({"permissions": ["fleet:read", "feed:read"]}, {}),
        ({"permissions": ["feed:read", "read:drivers", "fleet:read", 7, "fleet:read"]}, {}),
        ({"permissions": "fleet:read feed:read"}, {}),
        ({"permissions": "  feed:read \t openid\nfleet:read "}, {}),
        ({"permissions": [], NAMESPACED: ["fleet:read", "feed:read"]}, {"permissions_claim": NAMESPACED}),
        ({"scope": "openid fleet:read feed:read"}, {"permissions_claim": "scope"}),
        ({"roles": ["feed:read", "fleet:read", "staff"]}, {"permissions_claim": "roles"}),
    ],
    ids=str,
)
async def test_permissions_are_a_list_or_a_text(
    shared_issuer: TokenIssuer, claims: dict[str, Any], more: dict[str, str]
) -> None:
    token = await verified(shared_issuer, claims, **more)

    assert token.permissions == {Permission.FLEET_READ, Permission.FEED_READ}
    assert token.may(Permission.FEED_READ)
    assert not token.may(Permission.FLEET_WRITE)


@pytest.mark.parametrize("value", GARBAGE, ids=lambda value: repr(value)[:40])
async def test_malformed_permission_claim_grants_nothing(shared_issuer: TokenIssuer, value: Any) -> None:
    token = await verified(shared_issuer, {"permissions": value})

    assert token.permissions == frozenset()
    assert token.actor.sub == "dev|asha"


async def test_only_the_claim_that_the_settings_name_counts(shared_issuer: TokenIssuer) -> None:
    everywhere = {
        name: list(Permission) for name in ("scope", "scp", "roles", NAMESPACED, "permission", "Permissions")
    }

    assert not (await verified(shared_issuer, {**everywhere, "permissions": TokenIssuer.DROP})).permissions
    assert not (await verified(shared_issuer, {}, permissions_claim=NAMESPACED)).permissions


async def test_everyone_has_staff_permissions_plus_the_claim(shared_issuer: TokenIssuer) -> None:
    for claims, added in (
        ({"permissions": TokenIssuer.DROP}, set()),
        ({"permissions": "garbage"}, set()),
        ({"permissions": ["audit:reveal"]}, {Permission.AUDIT_REVEAL}),
    ):
        token = await verified(shared_issuer, claims, permissions="everyone")
        assert token.permissions == OF_STAFF | added


async def test_name_and_session_are_read_and_bounded(
    shared_issuer: TokenIssuer,
) -> None:
    for value, roles in (
        (["staff", 7, "fleet manager"], ("staff", "fleet manager")),
        ("staff auditor", ("staff", "auditor")),
        (["a\u202e", "b\n", "x" * 201, "staff"], ("staff",)),
        ([str(number) for number in range(500)], tuple(str(number) for number in range(20))),
        ({"staff": 1}, ()),
        (TokenIssuer.DROP, ()),
    ):
        assert (await verified(shared_issuer, {"roles": value})).roles == roles
    namespaced = {f"{shared_issuer.audience}/roles": ["staff"]}
    assert (await verified(shared_issuer, namespaced)).roles == ("staff",)
    for value, session in (("s-1", "s-1"), ("", None), ("s" * 256, None), (["s"], None), (7, None)):
        assert (await verified(shared_issuer, {"sid": value})).session == session
    assert (await verified(shared_issuer, {"iat": 1_700_000_000})).issued_at is not None
    assert (await verified(shared_issuer, {"iat": TokenIssuer.DROP})).issued_at is None


@pytest.mark.parametrize(("name", "value"), [("permissions", "anybody"), ("permissions_claim", "")])
def test_ambiguous_settings_are_refused(shared_issuer: TokenIssuer, name: str, value: str) -> None:
    with pytest.raises(ValueError, match=name):
        shared_issuer.settings(**{name: value})
