"""A corpus of tokens that must be refused, each with the reason of the refusal.

All are changed copies of `TokenIssuer.token()`; tests must also check that this token is accepted.
"""

import base64
import hmac
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding

from ops.base.sign_in.refusal import Reason
from ops.testing.token_issuer import TokenIssuer, encode, new_key, public_jwk

_DROP: Final = TokenIssuer.DROP
_NOW: Final = int(time.time())
_YEAR_10000: Final = 253_402_300_800
_AUDIENCE: Final = "https://api.fleetlog.example"
_EVIL: Final = "https://evil.example/"
T = TypeVar("T")

_LATIN_1: Final = b'{"alg": "\xff"}'


@dataclass(frozen=True)
class BadToken:
    """A token that must be refused."""

    name: str
    reason: Reason
    build: Callable[[TokenIssuer], str]


def _each(
    reason: Reason, changes: Mapping[str, T], build: Callable[[TokenIssuer, T], str]
) -> Iterator[BadToken]:
    """Yield a token for each named change."""
    for name, change in changes.items():
        yield BadToken(name, reason, lambda issuer, change=change: build(issuer, change))  # type: ignore[misc]


def _claims(name: str, reason: Reason, values: Sequence[object]) -> Iterator[BadToken]:
    """Yield valid tokens with one changed claim; `TokenIssuer.DROP` leaves it out."""
    changes: dict[str, dict[str, Any]] = {_label(name, value): {name: value} for value in values}
    yield from _each(reason, changes, lambda issuer, change: issuer.token(**change))


def _headers(name: str, reason: Reason, values: Sequence[object]) -> Iterator[BadToken]:
    """Yield valid tokens with one changed member of the header; `TokenIssuer.DROP` leaves it out."""
    changes = {_label(f"header {name}", value): {name: value} for value in values}
    yield from _each(reason, changes, lambda issuer, change: issuer.token(header=change))


def _label(name: str, value: object) -> str:
    text = "missing" if value is _DROP else str(value)
    return f"{name} is {text[:30]!r} of {len(text)} characters ({type(value).__name__})"


def _segments(reason: Reason, changes: Mapping[str, Callable[[str, str, str], str]]) -> Iterator[BadToken]:
    """Yield valid tokens whose three segments are changed after the signature."""
    yield from _each(reason, changes, lambda issuer, change: change(*issuer.token().split(".")))


def _texts(segment: str, reason: Reason, changes: Mapping[str, Callable[[str], str]]) -> Iterator[BadToken]:
    """Yield tokens whose header's or payload's text is changed before the signature."""

    def build(issuer: TokenIssuer, change: Callable[[str], str]) -> str:
        texts = {"header": json.dumps(issuer.header()), "payload": json.dumps(issuer.claims())}
        texts[segment] = change(texts[segment])
        return issuer.sign(*texts.values())

    yield from _each(reason, {f"{segment} {name}": change for name, change in changes.items()}, build)


def _signed(
    name: str, reason: Reason, sign: Callable[[TokenIssuer, bytes], bytes], **head: object
) -> BadToken:
    """A token with another signature, and changed members of the header."""

    def build(issuer: TokenIssuer) -> str:
        parts = (issuer.header(**head), issuer.claims())
        signing_input = ".".join(encode(json.dumps(part).encode()) for part in parts)
        return f"{signing_input}.{encode(sign(issuer, signing_input.encode()))}"

    return BadToken(name, reason, build)


def _add(member: str) -> Callable[[str], str]:
    """Return a function that adds a member to a JSON object's text."""
    return lambda text: text[:-1] + ", " + member + "}"


def _malformed() -> Iterator[BadToken]:
    """Yield tokens that are not a compact JWS (RFC 7515, section 3.1) of an acceptable size."""
    texts = ["", "abc", "..", "." * 1000, "null", "mF_9.B5f-4.1JqM", '{"payload": "e30"}', "A" * 1_000_000]
    yield from _each(
        "malformed",
        {f"{text[:20]!r} of {len(text)} characters": text for text in texts},
        lambda _, text: text,
    )
    changes: dict[str, Callable[[str, str, str], str]] = {
        "two segments": lambda h, p, _: f"{h}.{p}",
        "no signature": lambda h, p, _: f"{h}.{p}.",
        "no payload": lambda h, _, s: f"{h}..{s}",
        "no header": lambda _, p, s: f".{p}.{s}",
        "signature first": lambda h, p, s: f"{s}.{h}.{p}",
        "two headers": lambda h, p, s: f"{h}.{h}.{p}.{s}",
        "five segments, as if encrypted": lambda h, p, s: f"{h}.{p}.{s}.AAAA.AAAA",
        "in quotation marks": lambda h, p, s: f'"{h}.{p}.{s}"',
        "after the scheme once more": lambda h, p, s: f"Bearer {h}.{p}.{s}",
        "its dots escaped": lambda h, p, s: f"{h}%2E{p}%2E{s}",
        "8 193 characters": lambda h, p, s: f"{h}.{p}.{s}{'A' * (8191 - len(h + p + s))}",
        "header cut": lambda h, p, s: f"{h[: len(h) // 8 * 4]}.{p}.{s}",
        "header of an impossible length": lambda _, p, s: f"AAAAA.{p}.{s}",
        "header is not UTF-8": lambda _, p, s: f"{encode(_LATIN_1)}.{p}.{s}",
        "header in UTF-16": lambda _, p, s: f"{encode('{}'.encode('utf-16'))}.{p}.{s}",
        "signature of an impossible length": lambda h, p, _: f"{h}.{p}.AAAAA",
        # 256 bytes are 341 letters and a third: the last letter has four bits without meaning.
        "signature's spare bits changed": lambda h, p, s: f"{h}.{p}.{s[:-1]}{chr(ord(s[-1]) + 1)}",
    }
    yield from _segments("malformed", changes)

    def insert(issuer: TokenIssuer, foreign: tuple[int, str]) -> str:
        number, text = foreign
        changed = issuer.token().split(".")
        segment = changed[number % 3]
        at = (0, len(segment) // 2, len(segment))[number // 3 % 3]
        changed[number % 3] = segment[:at] + text + segment[at:]
        return ".".join(changed)

    foreign = [*"=+/ \t\n\0\x7fé\u00a0\ufeff.", "\r\n ", "%41", "\ud800"]
    yield from _each(
        "malformed", {f"{text!r} in a segment": (number, text) for number, text in enumerate(foreign)}, insert
    )


def _bad_headers() -> Iterator[BadToken]:
    """Yield tokens with a bad header: its JSON, `typ`, `kid`, `crit`, and members that refer to keys."""
    yield from _texts(
        "header",
        "malformed",
        {
            "is not JSON": lambda _: "not json",
            "is a list": lambda text: f"[{text}]",
            "is null": lambda _: "null",
            "twice": lambda text: text + text,
            "with a trailing comma": lambda text: text[:-1] + ",}",
            "with a byte order mark": lambda text: "\ufeff" + text,
            "of a thousand brackets": lambda _: "[" * 1000,
            "nested 40 deep": _add('"x": ' + "[" * 40 + "]" * 40),
            "over 1 536 bytes": _add(f'"x": "{"y" * 1600}"'),
            "with alg twice, the good one last": lambda text: '{"alg": "none", ' + text[1:],
            "with alg twice, the good one first": _add('"alg": "none"'),
            "with alg twice, escaped": _add(r'"\u0061lg": "none"'),
            "with kid twice": _add('"kid": "first"'),
            "with NaN": _add('"x": NaN'),
            "with a number without an exponent": _add('"x": ' + "9" * 1500 + "e"),
        },
    )
    yield from _headers(
        "crit", "critical", [["exp"], ["b64"], ["a"] * 50, [], [1], "exp", {}, 0, False, None]
    )
    yield from _texts("header", "critical", {"unencoded payload": _add('"b64": false, "crit": ["b64"]')})
    yield BadToken("no typ", "type", lambda issuer: issuer.token(header={"typ": _DROP}, typ=_DROP))
    types: list[object] = [
        None,
        "",
        " ",
        "JWE",
        "JWT ",
        "jwt\0",
        "id+jwt",
        "id_token",
        "logout+jwt",
        "dpop+jwt",
    ]
    types += ["application/", "at+jwt;v=1", "at", ["JWT"], {"typ": "JWT"}, 1, True]
    yield from _headers("typ", "type", types)
    kids = [_DROP, None, "", " ", "second", "FIRST", "first ", "first\0", "*", "k" * 256, "ﬁrst", "\ud800"]
    kids += ["../../etc/passwd", "http://127.0.0.1:1/", "' OR '1'='1", "$(id)"]
    kids += [0, 1.5, True, ["first"], [], {"first": 1}]
    yield from _headers("kid", "unknown-key", kids)
    own_keys: dict[str, Callable[[Any], dict[str, Any]]] = {
        "another key": lambda _: {},
        "jwk": lambda key: {"jwk": public_jwk("own", key)},
        "jku": lambda _: {"jku": f"{_EVIL}jwks.json"},
        "x5u": lambda _: {"x5u": _EVIL},
        "x5c": lambda _: {"x5c": ["MIIB"], "x5t": "AAAA"},
        "jku to a file": lambda _: {"jku": "file:///etc/passwd"},
    }

    def build(issuer: TokenIssuer, change: tuple[Callable[[Any], dict[str, Any]], dict[str, str]]) -> str:
        members, own = change
        key = new_key()
        head = issuer.header(**members(key), **own)
        return issuer.sign(json.dumps(head), json.dumps(issuer.claims()), key=key)

    kinds: list[tuple[Reason, str, dict[str, str]]] = [
        ("signature", "ours", {}),
        ("unknown-key", "own", {"kid": "own"}),
    ]
    for reason, kid, own in kinds:
        changes = {f"{name} with {kid} kid": (members, own) for name, members in own_keys.items()}
        yield from _each(reason, changes, build)


def _algorithms() -> Iterator[BadToken]:
    """Yield tokens of algorithm confusion: other names in the header, and signatures by other algorithms."""
    names: list[object] = ["none", "None", "NONE", "nOnE", "null", "rs256", "RSA", "HS256", "dir", "", " "]
    names += ["RS256 ", "RS256\0", "RS-256", "\uff32S256", "RS256,none"]
    names += [["RS256"], {"RS256": 1}, None, 256, True, _DROP]
    yield from _headers("alg", "algorithm", names)
    yield _signed("RS256 with an empty signature", "signature", lambda *_: b"\0\0")
    for name in ("none", "NONE"):
        yield _signed(f"{name} with an empty signature", "algorithm", lambda *_: b"\0\0", alg=name)
    encodings, forms = serialization.Encoding, serialization.PublicFormat
    secrets: dict[str, Callable[[TokenIssuer], bytes]] = {
        "the public key": lambda issuer: _public(issuer, encodings.PEM, forms.SubjectPublicKeyInfo),
        "the public key without its last line break": lambda issuer: _public(
            issuer, encodings.PEM, forms.SubjectPublicKeyInfo
        ).rstrip(),
        "the public key in PKCS 1": lambda issuer: _public(issuer, encodings.PEM, forms.PKCS1),
        "the public key in DER": lambda issuer: _public(issuer, encodings.DER, forms.SubjectPublicKeyInfo),
        "the public key in JSON": lambda issuer: json.dumps(issuer.key_set()["keys"][0]).encode(),
        "nothing": lambda _: b"",
        "the kid": lambda issuer: next(iter(issuer.keys)).encode(),
    }
    for name, secret in secrets.items():
        for bits in (256, 512):

            def keyed_hash(
                issuer: TokenIssuer, data: bytes, secret: Any = secret, digest: str = f"sha{bits}"
            ) -> bytes:
                return hmac.new(secret(issuer), data, digest).digest()

            yield _signed(f"HS{bits} keyed with {name}", "algorithm", keyed_hash, alg=f"HS{bits}")
            yield _signed(f"HS{bits} keyed with {name}, declared as RS256", "signature", keyed_hash)
    signatures: dict[str, Callable[[TokenIssuer, bytes], bytes]] = {
        "RS384": lambda issuer, data: _key(issuer).sign(data, padding.PKCS1v15(), hashes.SHA384()),
        "RS512": lambda issuer, data: _key(issuer).sign(data, padding.PKCS1v15(), hashes.SHA512()),
        "RS1": lambda issuer, data: _key(issuer).sign(data, padding.PKCS1v15(), hashes.SHA1()),  # noqa: S303
        "PS256": lambda issuer, data: _key(issuer).sign(
            data, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256()
        ),
        "ES256": lambda _, data: ec.generate_private_key(ec.SECP256R1()).sign(
            data, ec.ECDSA(hashes.SHA256())
        ),
        "EdDSA": lambda _, data: ed25519.Ed25519PrivateKey.generate().sign(data),
    }
    for name, sign in signatures.items():
        yield _signed(name, "algorithm", sign, alg=name)
        yield _signed(f"{name}, declared as RS256", "signature", sign)


def _key(issuer: TokenIssuer) -> Any:
    return next(iter(issuer.keys.values()))


def _public(issuer: TokenIssuer, *form: Any) -> bytes:
    encoded: bytes = _key(issuer).public_key().public_bytes(*form)
    return encoded


def _bad_signatures() -> Iterator[BadToken]:
    """Yield tokens whose signature is not exactly that of our key for exactly these segments."""
    changes: dict[str, Callable[[bytes], bytes]] = {
        "cut": lambda s: s[:-10],
        "with a leading zero": lambda s: b"\0" + s,
        "with a zero behind": lambda s: s + b"\0",
        "without its first byte": lambda s: s[1:],
        "twice": lambda s: s + s,
        "backwards": lambda s: s[::-1],
        "of zeros": lambda s: bytes(len(s)),
        "of one": lambda s: bytes(len(s) - 1) + b"\1",
        "of ones": lambda s: b"\xff" * len(s),
        "of one byte": lambda _: b"\0",
        "as text": lambda s: s.hex().encode(),
        "with its first bit flipped": lambda s: bytes([s[0] ^ 128]) + s[1:],
        "with a bit flipped": lambda s: s[:127] + bytes([s[127] ^ 1]) + s[128:],
        "with its last bit flipped": lambda s: s[:-1] + bytes([s[-1] ^ 1]),
    }
    yield from _segments(
        "signature",
        {
            f"signature {name}": lambda h, p, s, change=change: f"{h}.{p}.{encode(change(_decode(s)))}"  # type: ignore[misc]
            for name, change in changes.items()
        },
    )
    # Other numbers that are congruent to the valid signature, or nearly so.
    numbers: dict[str, Callable[[int, int], int]] = {
        "signature plus the modulus": lambda s, n: s + n,
        "modulus less the signature": lambda s, n: n - s,
        "the modulus": lambda _, n: n,
    }

    def congruent(issuer: TokenIssuer, number: Callable[[int, int], int]) -> str:
        signed, _, signature = issuer.token().rpartition(".")
        modulus = _key(issuer).public_key().public_numbers().n
        found = number(int.from_bytes(_decode(signature), "big"), modulus)
        return f"{signed}.{encode(found.to_bytes(found.bit_length() // 8 + 1, 'big'))}"

    yield from _each("signature", numbers, congruent)
    yield from _segments(
        "signature",
        {
            "payload cut": lambda h, p, s: f"{h}.{p[: (len(p) - 4) // 4 * 4]}.{s}",
            "payload lengthened": lambda h, p, s: f"{h}.{p}AAAA.{s}",
            "signature of its own header": lambda h, p, _: f"{h}.{p}.{h[: len(h) // 4 * 4]}",
        },
    )
    others: dict[str, Callable[[TokenIssuer], tuple[str, str]]] = {
        "signature of another person's token": lambda issuer: (issuer.token(), issuer.token(sub="dev|farah")),
        "signature of a longer-lived token": lambda issuer: (issuer.token(), issuer.token(exp=4_000_000_000)),
        "signature of claims serialised another way": lambda issuer: (
            issuer.sign(json.dumps(issuer.header()), json.dumps(issuer.claims(), indent=1)),
            issuer.token(),
        ),
    }

    def exchange(issuer: TokenIssuer, tokens: Callable[[TokenIssuer], tuple[str, str]]) -> str:
        token, other = tokens(issuer)
        return f"{token.rpartition('.')[0]}.{other.rpartition('.')[2]}"

    yield from _each("signature", others, exchange)


def _decode(segment: str) -> bytes:
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def _bad_claims() -> Iterator[BadToken]:
    """Yield tokens of other issuers, audiences or kinds, without a subject, and with malformed payloads."""
    yield from _claims("iss", "issuer", [_DROP, None, "", " ", "*", _EVIL, [_EVIL], [], {}, 1, True])
    changed: dict[str, Callable[[str], object]] = {
        "without its last character": lambda issuer: issuer[:-1],
        "with a slash more": lambda issuer: f"{issuer}/",
        "in capitals": str.upper,
        "in a list": lambda issuer: [issuer],
        "with NUL": lambda issuer: issuer + "\0",
        "below ours": lambda issuer: issuer + "tenant",
        "before ours": lambda issuer: _EVIL + issuer,
    }
    yield from _each(
        "issuer",
        {f"iss {name}": change for name, change in changed.items()},
        lambda issuer, change: issuer.token(iss=change(issuer.issuer)),
    )
    audiences = [_DROP, None, "", "*", "fleetlog-web", [], [""], [None], {}, 1, True, {"aud": _AUDIENCE}]
    audiences += [f"{_AUDIENCE}/", f"{_AUDIENCE}\0", _AUDIENCE.upper(), _AUDIENCE[:-1], ["x"] * 100]
    audiences += [f"{_AUDIENCE} fleetlog-web", f"{_AUDIENCE}.evil.example", [_AUDIENCE, 1], [[_AUDIENCE]]]
    yield from _claims("aud", "audience", audiences)
    yield from _claims("sub", "subject", [_DROP, None, "", " ", "s" * 256, 7, True, [], ["dev|asha"], {}])
    yield from _claims("sub", "subject", ["dev|asha\n", "dev|\0asha", "\x1b[31m", "\u202easha", "\ud800"])
    for name in ("at_hash", "c_hash"):
        yield from _claims(name, "id-token", ["abc"])
    yield from _claims("typ", "id-token", ["ID"])
    kinds: dict[str, dict[str, Any]] = {
        **{f"a nonce, {nonce!r}": {"nonce": nonce} for nonce in ("abc", "", None)},
        **{f"a nonce, of the kind {kind!r}": {"nonce": "n", "typ": kind} for kind in ("ID", "bearer", None)},
        "a nonce and scopes": {"nonce": "n", "scp": ["openid"]},
    }
    plain = {"typ": "JWT"}
    yield from _each(
        "id-token", kinds, lambda issuer, change: issuer.token(header=plain, **{"typ": _DROP, **change})
    )
    yield BadToken(
        "without a type, with a nonce",
        "id-token",
        lambda issuer: issuer.token(header={"typ": _DROP}, typ=_DROP, nonce="n", scp=["fleet:read"]),
    )
    yield from _claims(
        "events", "logout-token", [{"http://schemas.openid.net/event/backchannel-logout": {}}, None]
    )
    yield BadToken(
        "an ID token for both",
        "id-token",
        lambda issuer: issuer.token(
            header=plain, typ=_DROP, aud=[issuer.audience, "fleetlog-web"], azp="fleetlog-web", nonce="n"
        ),
    )
    yield from _claims("jti", "claims", [1])
    yield from _texts("payload", "malformed", {"over 8 KB": _add(f'"x": "{"y" * 8192}"')})
    yield from _texts(
        "payload",
        "claims",
        {
            "is not JSON": lambda _: "not json",
            "is a list": lambda text: f"[{text}]",
            "is null": lambda _: "null",
            "twice": lambda text: text + text,
            "cut off": lambda text: text[:-1],
            "with a byte order mark": lambda text: "\ufeff" + text,
            "of open brackets": lambda _: "[" * 4000,
            "of braces": _add('"x": ' + '{"a":' * 300 + "1" + "}" * 300),
            "nested 65 deep": _add('"x": ' + "[" * 64 + "]" * 64),
            "with NaN": _add('"x": NaN'),
            "with an infinity": _add('"x": Infinity'),
            "with a number of 4 400 digits": _add('"x": ' + "9" * 4400),
            "with sub twice, escaped": _add(r'"\u0073ub": "dev|farah"'),
            "with a claim twice, below": _add('"x": {"y": 1, "y": 2}'),
            **{f"with {name} twice": _add(f'"{name}": 1') for name in ("iss", "aud", "sub", "exp", "name")},
        },
    )


def _bad_times() -> Iterator[BadToken]:
    """Yield tokens whose `exp`, `nbf` or `iat` is out of range or no NumericDate (RFC 7519, section 2)."""
    yield from _claims("exp", "claims", [_DROP])
    for name in ("exp", "nbf", "iat"):
        yield from _claims(
            name, "claims", [None, "", str(_NOW), "2038-01-19T03:14:07Z", [], [_NOW], {}, True]
        )
        yield from _claims(name, "claims", [-1, -0.5, 2**63, 1e300, _YEAR_10000, _YEAR_10000 - 0.5, 10**400])
        for text in ("1e999", "-Infinity", "NaN", "0x7fffffff", "01", "1."):

            def replace(payload: str, name: str = name, text: str = text) -> str:
                return _add(f'"{name}": {text}')(payload.replace(f'"{name}"', f'"former_{name}"', 1))

            yield from _texts("payload", "claims", {f"with {text} as {name}": replace})
    yield from _claims("exp", "expired", [0, 0.5, _NOW - 3600, _NOW - 61, _NOW - 61.5, 1e9])
    for name in ("nbf", "iat"):
        yield from _claims(name, "not-yet-valid", [_NOW + 3600, _NOW + 3600.5, _YEAR_10000 - 1])


CORPUS: Final[tuple[BadToken, ...]] = (
    *_malformed(),
    *_bad_headers(),
    *_algorithms(),
    *_bad_signatures(),
    *_bad_claims(),
    *_bad_times(),
)
GOOD_TIMES: Final[tuple[dict[str, float], ...]] = (
    {"exp": _NOW + 3600.5},
    {"iat": _NOW - 0.25},
    {"nbf": _NOW - 0.75, "iat": 1e3, "exp": 4e9},
    {"exp": 253_402_300_799.0, "nbf": -0.0},
    {"exp": _NOW + 3600.123456789, "nbf": _NOW - 0.000001, "iat": _NOW - 0.000001},
)
"""Valid claims: a NumericDate need not be an integer."""
