"""Signing keys are loaded, rotated, and kept during failures of the issuer."""

import asyncio
import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from ops.base.sign_in import InvalidToken, SigningKeysUnavailable
from ops.base.sign_in.verifier import TokenVerifier
from ops.testing.conditions import wait_until
from ops.testing.token_issuer import TokenIssuer, new_key, public_jwk

EC_KEY = {
    "kty": "EC",
    "crv": "P-256",
    "kid": "ec",
    "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
}


def verifier_for(issuer: TokenIssuer, **options: float) -> TokenVerifier:
    return TokenVerifier(issuer.settings(), **options)


async def is_accepted(verifier: TokenVerifier, token: str) -> bool:
    try:
        await verifier.verify(token)
    except InvalidToken:
        return False
    return True


async def test_keys_are_loaded_in_the_background_at_the_start(issuer: TokenIssuer) -> None:
    async with verifier_for(issuer) as verifier:
        await wait_until(lambda: verifier.ready)
        issuer.status = 500
        assert await is_accepted(verifier, issuer.token())


async def test_loaded_key_is_used_during_an_outage(issuer: TokenIssuer) -> None:
    verifier = verifier_for(issuer, min_refetch_interval=0)
    early, late = issuer.token(jti="early"), issuer.token(jti="late")
    await verifier.verify(early)
    issuer.__exit__()

    assert await is_accepted(verifier, early)
    assert await is_accepted(verifier, late)
    assert not await is_accepted(verifier, issuer.token(header={"kid": "other"}))
    assert await is_accepted(verifier, late)


async def test_malformed_token_is_refused_without_any_key(
    issuer: TokenIssuer,
) -> None:
    issuer.status = 503
    verifier = verifier_for(issuer)

    with pytest.raises(SigningKeysUnavailable):
        await verifier.verify(issuer.token())
    with pytest.raises(InvalidToken):
        await verifier.verify("garbage")


async def test_late_issuer_is_found_in_the_background(issuer: TokenIssuer) -> None:
    issuer.status = 503
    async with verifier_for(issuer) as verifier:
        await wait_until(lambda: issuer.fetches)
        issuer.status = 200
        await wait_until(lambda: verifier.ready)


async def test_withdrawn_key_invalidates_cached_tokens(issuer: TokenIssuer) -> None:
    verifier = verifier_for(issuer, min_refetch_interval=0)
    old = issuer.token()
    await verifier.verify(old)
    issuer.keys = {"second": new_key()}
    await verifier.verify(issuer.token())

    assert not await is_accepted(verifier, old)


async def test_replaced_key_does_not_verify_old_tokens(issuer: TokenIssuer) -> None:
    verifier = verifier_for(issuer, min_refetch_interval=0)
    old = issuer.token()
    await verifier.verify(old)
    issuer.keys = {"first": new_key()}
    await is_accepted(verifier, issuer.token(header={"kid": "unknown, so that keys are fetched"}))

    assert not await is_accepted(verifier, old)
    assert await is_accepted(verifier, issuer.token())


async def test_unknown_key_ids_do_not_flood_the_issuer(issuer: TokenIssuer) -> None:
    verifier = verifier_for(issuer)
    await verifier.verify(issuer.token())

    for number in range(50):
        assert not await is_accepted(verifier, issuer.token(header={"kid": f"unknown-{number}"}))

    assert issuer.fetches == 1


async def test_concurrent_requests_share_one_fetch(issuer: TokenIssuer) -> None:
    verifier = verifier_for(issuer, min_refetch_interval=0)
    token = issuer.token()

    assert all(await asyncio.gather(*(is_accepted(verifier, token) for _ in range(100))))
    assert issuer.fetches == 1


async def test_cancelled_caller_does_not_stop_the_fetch(issuer: TokenIssuer) -> None:
    verifier = verifier_for(issuer)
    token = issuer.token()
    issuer.gate.clear()
    impatient = asyncio.create_task(verifier.verify(token))
    patient = asyncio.create_task(verifier.verify(token))
    await wait_until(lambda: issuer.fetches)
    impatient.cancel()
    await asyncio.wait([impatient])
    issuer.gate.set()

    assert (await patient).actor.sub == "dev|asha"
    assert issuer.fetches == 1


async def test_hanging_issuer_times_out(issuer: TokenIssuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ops.base.sign_in.signing_keys._FETCH_TIMEOUT", 0.2)
    verifier = verifier_for(issuer)
    issuer.gate.clear()

    with pytest.raises(SigningKeysUnavailable):
        await verifier.verify(issuer.token())


# --- the published document


GARBAGE_ENTRIES: list[object] = [
    None,
    1,
    "first",
    [],
    {},
    {"kty": "RSA"},
    {"kty": "RSA", "kid": "x", "n": "", "e": "AQAB"},
    {"kty": "RSA", "kid": "x", "n": "!!!", "e": "AQAB"},
    {"kty": "RSA", "kid": "x", "n": 65537, "e": 3},
    {"kty": "RSA", "kid": "x", "n": "A" * 100_000, "e": "AQAB"},
    {"kty": "RSA", "kid": "x", "n": "AQAB", "e": "Ag"},
    {"kty": "RSA", "kid": {"a": 1}, "n": "AQAB", "e": "AQAB"},
    {"kty": "oct", "kid": "first", "k": "c2VjcmV0"},
    {"kty": "OKP", "crv": "Ed25519", "kid": "okp", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
    EC_KEY,
    {**EC_KEY, "kid": "first"},
]


async def test_valid_key_is_found_among_others(issuer: TokenIssuer) -> None:
    issuer.document = json.dumps({"keys": [*GARBAGE_ENTRIES, *issuer.key_set()["keys"]]}).encode()

    assert await is_accepted(verifier_for(issuer), issuer.token())


@pytest.mark.parametrize(
    "change",
    [
        {"use": "enc"},
        {"use": "tls"},
        {"use": 1},
        {"alg": "RS512"},
        {"alg": "RSA-OAEP"},
        {"key_ops": ["encrypt"]},
        {"key_ops": "verify"},
        {"kty": "rsa"},
        {"d": "AQAB"},
        {"n": TokenIssuer.DROP},
        {"e": TokenIssuer.DROP},
    ],
    ids=str,
)
async def test_a_key_for_another_purpose_verifies_nothing(
    issuer: TokenIssuer, change: dict[str, Any]
) -> None:
    unfit = public_jwk("first", issuer.keys["first"], **change)
    issuer.document = json.dumps({"keys": [unfit, public_jwk("other", new_key())]}).encode()

    assert not await is_accepted(verifier_for(issuer), issuer.token())


async def test_a_key_below_2048_bits_verifies_nothing(issuer: TokenIssuer) -> None:
    issuer.keys["weak"] = new_key(1024)

    assert not await is_accepted(verifier_for(issuer), issuer.token(header={"kid": "weak"}))


async def test_ambiguous_key_id_is_ignored(issuer: TokenIssuer) -> None:
    twin, other = new_key(), new_key()
    entries = [*issuer.key_set()["keys"], public_jwk("first", twin), public_jwk("other", other)]
    issuer.document = json.dumps({"keys": entries}).encode()
    issuer.keys["other"] = other
    verifier = verifier_for(issuer)

    assert not await is_accepted(verifier, issuer.token())
    assert not await is_accepted(verifier, issuer.sign(json.dumps(issuer.header()), "{}", key=twin))
    assert await is_accepted(verifier, issuer.token(header={"kid": "other"}))


async def test_repeated_key_counts_once(issuer: TokenIssuer) -> None:
    issuer.document = json.dumps({"keys": issuer.key_set()["keys"] * 2}).encode()

    assert await is_accepted(verifier_for(issuer), issuer.token())


def with_document(document: bytes) -> Callable[[TokenIssuer], None]:
    return lambda issuer: setattr(issuer, "document", document)


def with_status(status: int, **headers: str) -> Callable[[TokenIssuer], None]:
    def misbehave(issuer: TokenIssuer) -> None:
        issuer.status, issuer.headers = status, headers

    return misbehave


MISBEHAVIOUR = {
    "empty": with_document(b""),
    "HTML": with_document(b"<html>"),
    "not UTF-8": with_document(b"\xff\xfe"),
    "compressed": with_document(gzip.compress(b"{}")),
    "null": with_document(b"null"),
    "a list": with_document(b"[]"),
    "no keys": with_document(b"{}"),
    "keys null": with_document(b'{"keys": null}'),
    "keys an object": with_document(b'{"keys": {"first": 1}}'),
    "no key": with_document(b'{"keys": []}'),
    "a hundred thousand brackets": with_document(b'{"keys": ' + b"[" * 100_000),
    "three megabytes": with_document(b'{"keys": [], "x": "' + b"x" * 3_000_000 + b'"}'),
    "redirect": with_status(302, Location="/.well-known/jwks.json"),
    "redirect elsewhere": with_status(301, Location="http://127.0.0.1:1/"),
    "no content": with_status(204),
    "not found": with_status(404),
    "broken": with_status(500),
}


@pytest.mark.parametrize("how", MISBEHAVIOUR)
async def test_bad_key_set_changes_nothing(issuer: TokenIssuer, how: str) -> None:
    verifier = verifier_for(issuer, min_refetch_interval=0)
    await verifier.verify(issuer.token())
    MISBEHAVIOUR[how](issuer)
    fetches = issuer.fetches

    assert not await is_accepted(verifier, issuer.token(header={"kid": "unknown"}))
    assert issuer.fetches == fetches + 1
    assert await is_accepted(verifier, issuer.token())
    with pytest.raises(SigningKeysUnavailable):
        await verifier_for(issuer).verify(issuer.token())
