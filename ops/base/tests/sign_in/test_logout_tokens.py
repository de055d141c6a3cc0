"""Logout tokens are accepted by the rules of OpenID Connect Back-Channel Logout 1.0 only."""

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from ops.base.sign_in import InvalidToken
from ops.base.sign_in.refusal import Reason
from ops.base.sign_in.revocations import Revocations
from ops.base.sign_in.verifier import Logout
from ops.testing.bad_tokens import CORPUS, GOOD_TIMES
from ops.testing.logout_tokens import LOGOUT_EVENT, logout_token
from ops.testing.sign_in import SignIn
from ops.testing.token_issuer import TokenIssuer

DROP: Any = TokenIssuer.DROP
CLIENT = "fleetlog-web"
NOW = int(time.time())


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, ("dev|asha", "S1")),
        ({"sid": DROP}, ("dev|asha", None)),
        ({"sub": DROP}, (None, "S1")),
        ({"aud": "https://api.fleetlog.example"}, ("dev|asha", "S1")),
        ({"aud": ["another", CLIENT]}, ("dev|asha", "S1")),
        ({"events": {LOGOUT_EVENT: {"more": 1}, "urn:more": {}}}, ("dev|asha", "S1")),
        ({"unknown": [1]}, ("dev|asha", "S1")),
    ],
)
async def test_valid_logout_token_is_parsed(
    sign_in: SignIn,
    changes: dict[str, Any],
    names: tuple[str | None, str | None],
) -> None:
    for typ in ("logout+jwt", "application/logout+jwt", "LOGOUT+JWT", "JWT"):
        found = await sign_in.verify_logout(typ=typ, iat=NOW, **changes)
        assert found == Logout(*names, datetime.fromtimestamp(NOW, UTC))


async def test_logout_time_may_be_a_fraction_of_a_second(sign_in: SignIn) -> None:
    for times in ({"iat": NOW, **good} for good in GOOD_TIMES):
        logout = await sign_in.verify_logout(**times)
        assert logout.issued_at.timestamp() == pytest.approx(times["iat"])


async def test_token_of_the_same_second_as_a_logout_is_revoked(sign_in: SignIn) -> None:
    """Some issuers cut the time of logout tokens to whole seconds, and not that of access tokens."""
    for issued, ended in ((NOW - 9.5, NOW - 10), (NOW - 9.5, NOW - 9.25), (NOW - 10, NOW - 9.5)):
        token = await sign_in.verify(iat=issued)
        logout = await sign_in.verify_logout(iat=ended, sid=DROP)
        revocations = Revocations(followed=False)
        revocations.add([(1, logout.subject, logout.session, logout.issued_at)])
        assert revocations.include(token)


NO_EVENTS: tuple[Any, ...] = (
    *(DROP, None, {}, [], LOGOUT_EVENT, [LOGOUT_EVENT], {LOGOUT_EVENT: None}, {LOGOUT_EVENT: []}),
    *({LOGOUT_EVENT: "{}"}, {LOGOUT_EVENT: True}, {f"{LOGOUT_EVENT}/": {}}, {LOGOUT_EVENT.upper(): {}}),
)
BAD: list[tuple[dict[str, Any], Reason]] = [
    *(({"nonce": value}, "id-token") for value in ("n", "", None)),
    *(({"events": value}, "claims") for value in NO_EVENTS),
    *(({"iss": value}, "issuer") for value in (DROP, None, "", "https://evil.example/", ["x"])),
    *(({"aud": value}, "audience") for value in (DROP, None, "", [], "other", [CLIENT, 1], {CLIENT: 1}, 1)),
    ({"sub": DROP, "sid": DROP}, "subject"),
    *(({"sub": value}, "subject") for value in (None, "", " ", "s" * 256, 7, ["dev|asha"], "a\n", "\0")),
    *(({"sid": value}, "subject") for value in (None, "", " ", "s" * 256, 7, ["S1"], "a\n", "\0")),
    *(({"jti": value}, "claims") for value in (DROP, None, 7, ["j"])),
    *(
        ({name: value}, "claims")
        for name in ("iat", "exp")
        for value in (DROP, None, "1", True, -1, -0.5, "1.5")
    ),
    ({"exp": NOW - 3600}, "expired"),
    ({"exp": NOW - 3600.5}, "expired"),
    ({"iat": NOW + 3600}, "not-yet-valid"),
    ({"iat": NOW + 3600.5}, "not-yet-valid"),
    ({"nbf": NOW + 3600}, "not-yet-valid"),
]


@pytest.mark.parametrize(("changes", "reason"), BAD, ids=lambda value: str(value)[:60])
async def test_logout_token_that_breaks_a_rule_is_refused(
    sign_in: SignIn, changes: dict[str, Any], reason: Reason
) -> None:
    with pytest.raises(InvalidToken) as refusal:
        await sign_in.verify_logout(**changes)

    assert refusal.value.reason == reason


@pytest.mark.parametrize("typ", ["at+jwt", "id+jwt", "secevent+jwt", "logout", "", None, DROP])
async def test_token_of_another_type_is_refused(sign_in: SignIn, typ: Any) -> None:
    with pytest.raises(InvalidToken, match="type"):
        await sign_in.verify_logout(typ=typ)


async def test_access_and_logout_tokens_are_not_interchangeable(sign_in: SignIn) -> None:
    for header in ({}, {"typ": "JWT"}, {"typ": "logout+jwt"}):
        with pytest.raises(InvalidToken):
            await sign_in.verifier.verify_logout(sign_in.issuer.token(header=header, sid="S1", jti="j"))
    for typ in ("logout+jwt", "JWT", "at+jwt"):
        with pytest.raises(InvalidToken):
            await sign_in.verifier.verify(
                logout_token(sign_in.issuer, typ=typ, aud=sign_in.issuer.audience, permissions=["fleet:read"])
            )


async def test_bad_logout_tokens_are_refused(sign_in: SignIn) -> None:
    refused = set()
    for bad in CORPUS:
        try:
            await sign_in.verifier.verify_logout(bad.build(sign_in.issuer))
        except InvalidToken:
            refused.add(bad.name)
    assert refused == {bad.name for bad in CORPUS}


async def test_signature_by_another_key_is_refused(sign_in: SignIn) -> None:
    head, payload, _ = logout_token(sign_in.issuer).split(".")
    with pytest.raises(InvalidToken, match="signature"):
        await sign_in.verifier.verify_logout(f"{head}.{payload}.{sign_in.issuer.token().split('.')[2]}")
