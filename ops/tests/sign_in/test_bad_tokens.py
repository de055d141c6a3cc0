"""A corpus of tokens that must be refused, as data: what each is, and for which reason it is refused."""

import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jose import jwt

from ops.base.sign_in import InvalidToken, TokenVerifier
from ops.testing.token_issuer import TokenIssuer, encode, new_key

DROP = TokenIssuer.DROP
NOW = int(time.time())


@dataclass(frozen=True)
class Bad:
    """A good token, but for these header members and claims."""

    name: str
    reason: str
    header: dict[str, Any] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)

    def build(self, issuer: TokenIssuer) -> str:
        return issuer.token(header=self.header, **self.claims)


@dataclass(frozen=True)
class Raw:
    """A token that no sane library would make."""

    name: str
    reason: str
    build: Callable[[TokenIssuer], str]


def claim(name: str, value: object, reason: str) -> Bad:
    return Bad(f"{name} is {str(value)[:30]!r} ({type(value).__name__})", reason, claims={name: value})


def header(name: str, value: object, reason: str) -> Bad:
    return Bad(f"header {name} is {str(value)[:30]!r} ({type(value).__name__})", reason, header={name: value})


def hs256_with_the_public_key(issuer: TokenIssuer) -> str:
    public = next(iter(issuer.keys.values())).public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    parts = (issuer.header(alg="HS256"), issuer.claims())
    signing_input = ".".join(encode(json.dumps(part).encode()) for part in parts)
    return f"{signing_input}.{encode(hmac.new(pem, signing_input.encode(), hashlib.sha256).digest())}"


def es256(issuer: TokenIssuer) -> str:
    pem = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return str(jwt.encode(issuer.claims(), pem.decode(), "ES256", headers={"kid": "first", "typ": "JWT"}))


def other_key(issuer: TokenIssuer) -> str:
    return issuer.sign(json.dumps(issuer.header()), json.dumps(issuer.claims()), key=new_key())


def with_payload(change: Callable[[str], str]) -> Callable[[TokenIssuer], str]:
    return lambda issuer: issuer.sign(json.dumps(issuer.header()), change(json.dumps(issuer.claims())))


def with_header(change: Callable[[str], str]) -> Callable[[TokenIssuer], str]:
    return lambda issuer: issuer.sign(change(json.dumps(issuer.header())), json.dumps(issuer.claims()))


def with_token(change: Callable[[str], str]) -> Callable[[TokenIssuer], str]:
    return lambda issuer: change(issuer.token())


def forged_claims(issuer: TokenIssuer) -> str:
    head, _, signature = issuer.token().split(".")
    return f"{head}.{encode(json.dumps(issuer.claims(sub='dev|farah')).encode())}.{signature}"


def pad(text: str, member: str) -> str:
    return text[:-1] + ", " + member + "}"


CORPUS: list[Bad | Raw] = [
    # --- form
    Raw("empty", "malformed", lambda _: ""),
    Raw("one segment", "malformed", lambda _: "abc"),
    Raw("only dots", "malformed", lambda _: ".."),
    Raw("two segments", "malformed", with_token(lambda t: t.rsplit(".", 1)[0])),
    Raw("no signature", "malformed", with_token(lambda t: t.rsplit(".", 1)[0] + ".")),
    Raw("no payload", "malformed", with_token(lambda t: t.split(".")[0] + ".." + t.split(".")[2])),
    Raw("five segments, as if encrypted", "malformed", with_token(lambda t: t + ".AAAA.AAAA")),
    Raw("padding", "malformed", with_token(lambda t: t + "=")),
    Raw("line break at the end", "malformed", with_token(lambda t: t + "\n")),
    Raw("leading space", "malformed", with_token(lambda t: " " + t)),
    Raw("NUL inside", "malformed", with_token(lambda t: t[:50] + "\0" + t[51:])),
    Raw("standard base64 alphabet", "malformed", with_token(lambda t: t[:-2] + "+/")),
    Raw("full-width letters", "malformed", with_token(lambda t: "\uff45" + t[1:])),
    Raw("lone surrogate", "malformed", with_token(lambda t: t + "\ud800")),
    Raw("8 193 characters", "malformed", with_token(lambda t: t + "A" * (8193 - len(t)))),
    Raw("a million characters", "malformed", lambda _: "A" * 1_000_000),
    Raw("JSON serialisation", "malformed", lambda i: json.dumps({"payload": "e30", "signature": "x"})),
    # --- header
    Raw(
        "header is not base64url of whole bytes",
        "malformed",
        with_token(lambda t: "A" * 5 + "." + t.split(".", 1)[1]),
    ),
    Raw("header is not JSON", "malformed", with_header(lambda _: "not json")),
    Raw("header is a list", "malformed", with_header(lambda h: f"[{h}]")),
    Raw("header is a string", "malformed", with_header(lambda _: '"RS256"')),
    Raw("header is null", "malformed", with_header(lambda _: "null")),
    Raw(
        "header is not UTF-8",
        "malformed",
        with_token(lambda t: encode(b'{"alg":"\xff"}') + "." + t.split(".", 1)[1]),
    ),
    Raw("header of a thousand brackets", "malformed", with_header(lambda _: "[" * 1000)),
    Raw(
        "header nested in an extension",
        "malformed",
        with_header(lambda h: pad(h, '"x": ' + "[" * 40 + "]" * 40)),
    ),
    Raw("header over 1 536 bytes", "malformed", with_header(lambda h: pad(h, f'"x": "{"y" * 1600}"'))),
    Raw("alg twice, the good one last", "malformed", with_header(lambda h: '{"alg": "none", ' + h[1:])),
    Raw("alg twice, the good one first", "malformed", with_header(lambda h: pad(h, '"alg": "none"'))),
    Raw("kid twice", "malformed", with_header(lambda h: pad(h, '"kid": "first"'))),
    Raw("NaN in the header", "malformed", with_header(lambda h: pad(h, '"x": NaN'))),
    Raw("a number of 5 000 digits", "malformed", with_header(lambda h: pad(h, '"x": ' + "9" * 1500 + "e"))),
    header("crit", ["exp"], "critical"),
    header("crit", [], "critical"),
    header("crit", None, "critical"),
    # --- algorithm
    header("alg", "none", "algorithm"),
    header("alg", "None", "algorithm"),
    header("alg", "", "algorithm"),
    header("alg", "rs256", "algorithm"),
    header("alg", "RS384", "algorithm"),
    header("alg", "RS512", "algorithm"),
    header("alg", "PS256", "algorithm"),
    header("alg", "HS256", "algorithm"),
    header("alg", "RSA-OAEP", "algorithm"),
    header("alg", ["RS256"], "algorithm"),
    header("alg", {"RS256": 1}, "algorithm"),
    header("alg", None, "algorithm"),
    header("alg", 256, "algorithm"),
    header("alg", DROP, "algorithm"),
    Raw("HS256 keyed with the public key", "algorithm", hs256_with_the_public_key),
    Raw("ES256", "algorithm", es256),
    # --- type
    header("typ", DROP, "type"),
    header("typ", "", "type"),
    header("typ", "JWE", "type"),
    header("typ", "id+jwt", "type"),
    header("typ", "logout+jwt", "type"),
    header("typ", "dpop+jwt", "type"),
    header("typ", "text/at+jwt", "type"),
    header("typ", ["JWT"], "type"),
    header("typ", None, "type"),
    # --- key
    header("kid", DROP, "unknown-key"),
    header("kid", "", "unknown-key"),
    header("kid", "second", "unknown-key"),
    header("kid", "FIRST", "unknown-key"),
    header("kid", "k" * 256, "unknown-key"),
    header("kid", "../../etc/passwd", "unknown-key"),
    header("kid", "\ud800", "unknown-key"),
    header("kid", 1, "unknown-key"),
    header("kid", ["first"], "unknown-key"),
    header("kid", {"first": 1}, "unknown-key"),
    # --- signature
    Raw("signed by another key", "signature", other_key),
    Raw("claims exchanged", "signature", forged_claims),
    Raw("signature cut", "signature", with_token(lambda t: t[:-8])),
    Raw("signature of one byte", "signature", with_token(lambda t: t.rsplit(".", 1)[0] + ".AA")),
    Raw(
        "signature of an impossible length",
        "signature",
        with_token(lambda t: t.rsplit(".", 1)[0] + "." + "A" * 5),
    ),
    Raw("signature of zeros", "signature", with_token(lambda t: t.rsplit(".", 1)[0] + "." + "A" * 342)),
    # --- payload
    Raw("payload is not JSON", "claims", with_payload(lambda _: "not json")),
    Raw("payload is a list", "claims", with_payload(lambda p: f"[{p}]")),
    Raw("payload is null", "claims", with_payload(lambda _: "null")),
    Raw(
        "payload of a thousand brackets",
        "claims",
        with_payload(lambda p: pad(p, '"x": ' + "[" * 1000 + "]" * 1000)),
    ),
    Raw("sub twice", "claims", with_payload(lambda p: pad(p, '"sub": "dev|asha"'))),
    Raw("NaN in an extra claim", "claims", with_payload(lambda p: pad(p, '"x": NaN'))),
    # --- issuer
    claim("iss", DROP, "issuer"),
    claim("iss", None, "issuer"),
    claim("iss", "https://evil.example/", "issuer"),
    claim("iss", ["https://evil.example/"], "issuer"),
    claim("iss", {}, "issuer"),
    Raw("iss without its slash", "issuer", lambda i: i.token(iss=i.issuer.rstrip("/"))),
    Raw("iss in capitals", "issuer", lambda i: i.token(iss=i.issuer.upper())),
    Raw("iss in a list", "issuer", lambda i: i.token(iss=[i.issuer])),
    # --- audience
    claim("aud", DROP, "audience"),
    claim("aud", None, "audience"),
    claim("aud", "", "audience"),
    claim("aud", "fleetlog-web", "audience"),
    claim("aud", [], "audience"),
    claim("aud", ["fleetlog-web"], "audience"),
    claim("aud", {"https://api.fleetlog.example": 1}, "audience"),
    claim("aud", "https://api.fleetlog.example.evil.example", "audience"),
    claim("aud", "https://api.fleetlog.example/", "audience"),
    claim("aud", ["https://api.fleetlog.example", 1], "audience"),
    claim("aud", [["https://api.fleetlog.example"]], "audience"),
    # --- subject
    claim("sub", DROP, "subject"),
    claim("sub", None, "subject"),
    claim("sub", "", "subject"),
    claim("sub", " ", "subject"),
    claim("sub", "s" * 256, "subject"),
    claim("sub", 7, "subject"),
    claim("sub", ["dev|asha"], "subject"),
    claim("sub", "dev|asha\n", "subject"),
    claim("sub", "dev|\0asha", "subject"),
    claim("sub", "dev|\u202easha", "subject"),
    claim("sub", "\ud800", "subject"),
    # --- times
    claim("exp", DROP, "claims"),
    claim("exp", None, "claims"),
    claim("exp", str(NOW + 3600), "claims"),
    claim("exp", "tomorrow", "claims"),
    claim("exp", [NOW + 3600], "claims"),
    claim("exp", {}, "claims"),
    claim("exp", value=True, reason="claims"),
    claim("exp", NOW + 3600.5, "claims"),
    claim("exp", -1, "claims"),
    claim("exp", 10**15, "claims"),
    claim("exp", 10**400, "claims"),
    Raw("exp is infinite", "claims", with_payload(lambda p: pad(p.replace('"exp"', '"x"'), '"exp": 1e999'))),
    Raw(
        "exp is Infinity", "claims", with_payload(lambda p: pad(p.replace('"exp"', '"x"'), '"exp": Infinity'))
    ),
    claim("exp", NOW - 3600, "expired"),
    claim("exp", 0, "expired"),
    claim("nbf", NOW + 3600, "not-yet-valid"),
    claim("nbf", None, "claims"),
    claim("nbf", [], "claims"),
    claim("nbf", "now", "claims"),
    claim("nbf", value=False, reason="claims"),
    claim("iat", NOW + 3600, "not-yet-valid"),
    claim("iat", None, "claims"),
    claim("iat", "now", "claims"),
    claim("iat", {}, "claims"),
    claim("jti", 1, "claims"),
    # --- not an access token
    claim("nonce", "abc", "id-token"),
    claim("at_hash", "abc", "id-token"),
    claim("c_hash", "abc", "id-token"),
    Bad("an ID token for the browser application", "id-token", claims={"aud": "fleetlog-web", "nonce": "n"}),
]


@pytest.mark.parametrize("bad", CORPUS, ids=lambda bad: bad.name)
async def test_a_bad_token_is_refused_and_the_reason_named(
    bad: Bad | Raw, shared_issuer: TokenIssuer, shared_verifier: TokenVerifier
) -> None:
    with pytest.raises(InvalidToken) as refusal:
        await shared_verifier.verify(bad.build(shared_issuer))

    assert refusal.value.reason == bad.reason


async def test_the_corpus_is_bad_only_where_it_says_so(
    shared_issuer: TokenIssuer, shared_verifier: TokenVerifier
) -> None:
    """Were the good token refused, every test above would pass for nothing."""
    assert (await shared_verifier.verify(shared_issuer.token())).actor.sub == "dev|asha"
    assert len({bad.name for bad in CORPUS}) == len(CORPUS) >= 60


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
async def test_garbage_is_refused_and_nothing_else(token: str, shared_verifier: TokenVerifier) -> None:
    with pytest.raises(InvalidToken):
        await shared_verifier.verify(token)


@quick
@given(
    name=st.sampled_from(["alg", "typ", "kid", "crit"]),
    value=json_values.filter(lambda value: value != "RS256"),
)
async def test_any_value_in_the_header_is_refused_and_nothing_else(
    name: str, value: Any, shared_issuer: TokenIssuer, shared_verifier: TokenVerifier
) -> None:
    with pytest.raises(InvalidToken):
        await shared_verifier.verify(shared_issuer.token(header={name: value}))


@quick
@given(name=st.sampled_from(["iss", "aud", "sub", "exp", "nbf", "iat"]), value=json_values)
async def test_any_value_in_a_claim_is_judged_without_a_crash(
    name: str, value: Any, shared_issuer: TokenIssuer, shared_verifier: TokenVerifier
) -> None:
    try:
        verified = await shared_verifier.verify(shared_issuer.token(**{name: value}))
    except InvalidToken:
        return
    # The values of these that are good by chance.
    assert (name == "sub" and verified.actor.sub == value) or (name in {"nbf", "iat"} and type(value) is int)
