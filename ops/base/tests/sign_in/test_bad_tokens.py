"""Every token of the corpus is refused with its reason, and generated tokens are refused."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ops.base.sign_in import InvalidToken
from ops.testing.bad_tokens import CORPUS
from ops.testing.sign_in import SignIn


async def test_bad_tokens_are_refused_with_their_reasons(sign_in: SignIn) -> None:
    reasons = {}
    for bad in CORPUS:
        try:
            await sign_in.verifier.verify(bad.build(sign_in.issuer))
        except InvalidToken as refusal:
            reasons[bad.name] = refusal.reason

    assert reasons == {bad.name: bad.reason for bad in CORPUS}


async def test_corpus_of_bad_tokens_differs_only_as_declared(sign_in: SignIn) -> None:
    """If the good token were refused, the tests above would prove nothing."""
    assert (await sign_in.verify()).actor.sub == "dev|asha"
    assert len({bad.name for bad in CORPUS}) == len(CORPUS)
    assert len({bad.build(sign_in.issuer) for bad in CORPUS}) >= 250


segments = st.text(st.characters(max_codepoint=0x7F, categories=["L", "N", "Pd", "Pc"]), max_size=60)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
garbage = st.text() | st.lists(segments, min_size=3, max_size=3).map(".".join)
quick = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(token=garbage)
async def test_malformed_tokens_are_refused(token: str, sign_in: SignIn) -> None:
    with pytest.raises(InvalidToken):
        await sign_in.verifier.verify(token)


@quick
@given(
    name=st.sampled_from(["alg", "typ", "kid", "crit"]),
    value=json_values.filter(lambda value: value != "RS256"),
)
async def test_any_header_value_is_handled(name: str, value: Any, sign_in: SignIn) -> None:
    with pytest.raises(InvalidToken):
        await sign_in.verify(header={name: value})


@quick
@given(name=st.sampled_from(["iss", "aud", "sub", "exp", "nbf", "iat"]), value=json_values)
async def test_any_claim_value_is_handled(name: str, value: Any, sign_in: SignIn) -> None:
    try:
        verified = await sign_in.verify(**{name: value})
    except InvalidToken:
        return
    # The values of these that are good by chance.
    is_time = name in {"exp", "nbf", "iat"} and type(value) in {int, float}
    assert is_time or (name == "sub" and verified.actor.sub == value)
