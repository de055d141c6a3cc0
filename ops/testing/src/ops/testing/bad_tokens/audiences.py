"""Tokens of another issuer, for another audience, for nobody, or not access tokens at all; odd payloads."""

from typing import Final

from ops.testing.bad_tokens.making import BadToken, claim, pad, with_payload
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


TOKENS: Final = (
    *(claim("iss", value, "issuer") for value in _ISSUERS),
    BadToken("iss without its slash", "issuer", lambda issuer: issuer.token(iss=issuer.issuer.rstrip("/"))),
    BadToken("iss with two slashes", "issuer", lambda issuer: issuer.token(iss=issuer.issuer + "/")),
    BadToken("iss in capitals", "issuer", lambda issuer: issuer.token(iss=issuer.issuer.upper())),
    BadToken("iss in a list", "issuer", lambda issuer: issuer.token(iss=[issuer.issuer])),
    BadToken("iss with a blank", "issuer", lambda issuer: issuer.token(iss=issuer.issuer + " ")),
    BadToken("iss with NUL", "issuer", lambda issuer: issuer.token(iss=issuer.issuer + "\0")),
    BadToken("iss with a fragment", "issuer", lambda issuer: issuer.token(iss=issuer.issuer + "#")),
    BadToken("iss below ours", "issuer", lambda issuer: issuer.token(iss=issuer.issuer + "tenant")),
    BadToken(
        "iss before ours", "issuer", lambda issuer: issuer.token(iss="https://evil.example/" + issuer.issuer)
    ),
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
    # --- its JSON
    with_payload("payload is not JSON", "claims", lambda _: "not json"),
    with_payload("payload is a list", "claims", lambda text: f"[{text}]"),
    with_payload("payload is a string", "claims", lambda _: '"sub"'),
    with_payload("payload is a number", "claims", lambda _: "1e3"),
    with_payload("payload is null", "claims", lambda _: "null"),
    with_payload("payload is followed by another", "claims", lambda text: text + text),
    with_payload("payload cut off", "claims", lambda text: text[:-1]),
    with_payload("payload in single quotation marks", "claims", lambda text: text.replace('"', "'")),
    with_payload("payload with a byte order mark", "claims", lambda text: "\ufeff" + text),
    with_payload("payload of brackets", "claims", lambda text: pad(text, '"x": ' + "[" * 1000 + "]" * 1000)),
    with_payload("payload of open brackets", "claims", lambda _: "[" * 4000),
    with_payload(
        "payload of braces", "claims", lambda text: pad(text, '"x": ' + '{"a":' * 300 + "1" + "}" * 300)
    ),
    with_payload("payload nested 65 deep", "claims", lambda text: pad(text, '"x": ' + "[" * 64 + "]" * 64)),
    with_payload("payload over 8 KB", "malformed", lambda text: pad(text, f'"x": "{"y" * 8192}"')),
    with_payload("NaN in an extra claim", "claims", lambda text: pad(text, '"x": NaN')),
    with_payload("an infinity in an extra claim", "claims", lambda text: pad(text, '"x": Infinity')),
    with_payload("a number of 4 400 digits", "claims", lambda text: pad(text, '"x": ' + "9" * 4400)),
    *(
        with_payload(f"{name} twice", "claims", lambda text, name=name: pad(text, f'"{name}": 1'))  # type: ignore[misc]
        for name in ("iss", "aud", "sub", "exp", "iat", "scope", "name")
    ),
    with_payload("sub twice, the same", "claims", lambda text: pad(text, '"sub": "dev|asha"')),
    with_payload("sub twice, escaped", "claims", lambda text: pad(text, r'"\u0073ub": "dev|farah"')),
    with_payload("an extra claim twice, below", "claims", lambda text: pad(text, '"x": {"y": 1, "y": 2}')),
    claim("jti", 1, "claims"),
)
