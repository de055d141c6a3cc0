"""Tokens of other issuers, audiences or kinds, without a subject, and with malformed payloads."""

from collections.abc import Callable
from typing import Final

from ops.testing.bad_tokens.builders import BadToken, claim, pad, with_issuer, with_payload
from ops.testing.token_issuer import TokenIssuer

_DROP: Final = TokenIssuer.DROP
_OURS: Final = "https://api.fleetlog.example"

_AUDIENCES: Final[tuple[object, ...]] = (
    *(_DROP, None, "", " ", "*", "fleetlog-web", [], [""], ["fleetlog-web"], [None], {}, {_OURS: 1}, 1, True),
    *(
        f"{_OURS}.evil.example",
        f"{_OURS}/",
        f"{_OURS} ",
        f" {_OURS}",
        f"{_OURS}\0",
        _OURS.upper(),
        _OURS[:-1],
    ),
    *(
        f"{_OURS}#",
        f"{_OURS}?",
        "https://evil.example/?aud=" + _OURS,
        "api.fleetlog.example",
        f"{_OURS} fleetlog-web",
    ),
    *([_OURS, 1], [_OURS, None], [[_OURS]], [{"aud": _OURS}], {"aud": _OURS}, ["x"] * 100),
)

_SUBJECTS: Final[tuple[object, ...]] = (
    *(_DROP, None, "", " ", "\u00a0", "s" * 256, 7, 1.5, True, [], ["dev|asha"], {}, {"sub": "dev|asha"}),
    *("dev|asha\n", "dev|\0asha", "\x1b[31mdev|asha", "dev|\u202easha", "dev|asha\u2028", "\ud800"),
)

_ISSUERS: Final[tuple[object, ...]] = (
    *(_DROP, None, "", " ", "*", "https://evil.example/", ["https://evil.example/"], [], {}, 1, True),
    *("http://localhost:1/", "https://accounts.google.com", "https://fleetlog.auth0.com/"),
)


_CHANGED_ISSUERS: Final[dict[str, Callable[[str], object]]] = {
    "iss without its slash": lambda issuer: issuer.rstrip("/"),
    "iss with two slashes": lambda issuer: issuer + "/",
    "iss in capitals": lambda issuer: issuer.upper(),
    "iss in a list": lambda issuer: [issuer],
    "iss with a blank": lambda issuer: issuer + " ",
    "iss with NUL": lambda issuer: issuer + "\0",
    "iss with a fragment": lambda issuer: issuer + "#",
    "iss below ours": lambda issuer: issuer + "tenant",
    "iss before ours": lambda issuer: "https://evil.example/" + issuer,
}

_PAYLOADS: Final[dict[str, Callable[[str], str]]] = {
    "payload is not JSON": lambda _: "not json",
    "payload is a list": lambda text: f"[{text}]",
    "payload is a string": lambda _: '"sub"',
    "payload is a number": lambda _: "1e3",
    "payload is null": lambda _: "null",
    "two payloads": lambda text: text + text,
    "payload cut off": lambda text: text[:-1],
    "payload in single quotation marks": lambda text: text.replace('"', "'"),
    "payload with a byte order mark": lambda text: "\ufeff" + text,
    "payload of brackets": lambda text: pad(text, '"x": ' + "[" * 1000 + "]" * 1000),
    "payload of open brackets": lambda _: "[" * 4000,
    "payload of braces": lambda text: pad(text, '"x": ' + '{"a":' * 300 + "1" + "}" * 300),
    "payload nested 65 deep": lambda text: pad(text, '"x": ' + "[" * 64 + "]" * 64),
    "NaN in an extra claim": lambda text: pad(text, '"x": NaN'),
    "an infinity in an extra claim": lambda text: pad(text, '"x": Infinity'),
    "a number of 4 400 digits": lambda text: pad(text, '"x": ' + "9" * 4400),
    "sub twice, the same": lambda text: pad(text, '"sub": "dev|asha"'),
    "sub twice, escaped": lambda text: pad(text, r'"\u0073ub": "dev|farah"'),
    "an extra claim twice, below": lambda text: pad(text, '"x": {"y": 1, "y": 2}'),
}

TOKENS: Final = (
    *(claim("iss", value, "issuer") for value in _ISSUERS),
    *(with_issuer(name, change) for name, change in _CHANGED_ISSUERS.items()),
    *(claim("aud", value, "audience") for value in _AUDIENCES),
    *(claim("sub", value, "subject") for value in _SUBJECTS),
    # --- not access tokens
    *(claim(name, "abc", "id-token") for name in ("nonce", "at_hash", "c_hash")),
    claim("nonce", None, "id-token"),
    claim("events", {"http://schemas.openid.net/event/backchannel-logout": {}}, "logout-token"),
    claim("events", None, "logout-token"),
    claim("nonce", "", "id-token"),
    BadToken(
        "an ID token for the browser application",
        "id-token",
        lambda issuer: issuer.token(aud="fleetlog-web", nonce="n"),
    ),
    BadToken(
        "an ID token for both",
        "id-token",
        lambda issuer: issuer.token(aud=[issuer.audience, "fleetlog-web"], azp="fleetlog-web", nonce="n"),
    ),
    BadToken(
        "an ID token under its own type",
        "type",
        lambda issuer: issuer.token(header={"typ": "id_token"}, nonce="n"),
    ),
    # --- the JSON of the payload
    *(with_payload(name, "claims", change) for name, change in _PAYLOADS.items()),
    with_payload("payload over 8 KB", "malformed", lambda text: pad(text, f'"x": "{"y" * 8192}"')),
    *(
        with_payload(f"{name} twice", "claims", lambda text, name=name: pad(text, f'"{name}": 1'))  # type: ignore[misc]
        for name in ("iss", "aud", "sub", "exp", "iat", "scope", "name")
    ),
    claim("jti", 1, "claims"),
)
