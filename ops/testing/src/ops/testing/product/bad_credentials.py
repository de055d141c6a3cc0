"""Requests that must be refused: bad tokens, and valid tokens in malformed or misplaced headers."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ops.development.identity_provider.tokens import load_or_create_key
from ops.testing.bad_tokens import CORPUS
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer

_AUTHORIZATION: Final = b"Authorization"


@dataclass(frozen=True)
class Attempt:
    name: str
    headers: tuple[tuple[bytes, bytes], ...] = field(repr=False)
    query: str = field(default="", repr=False)


@contextmanager
def issuer_of(stack: Stack) -> Iterator[TokenIssuer]:
    """Yield an issuer with the key of a stack's own identity provider."""
    environment = stack.record().environments["identity-provider"]
    key = load_or_create_key(Path(environment["FLEETLOG_IDP_STATE"]))
    with TokenIssuer(audience=environment["FLEETLOG_AUDIENCE"]) as issuer:
        issuer.issuer = environment["FLEETLOG_ISSUER"]
        private = key.private_key
        assert private
        issuer.keys = {str(key.kid): private}
        yield issuer


def good_attempt(issuer: TokenIssuer) -> Attempt:
    """Return the valid attempt, of which all others are changed copies."""
    return _attempt("good", f"Bearer {issuer.token()}")


def attempts(issuer: TokenIssuer) -> list[Attempt]:
    """Return all attempts, without duplicates."""
    good = issuer.token()
    tokens = [(bad.name, bad.build(issuer)) for bad in CORPUS]
    found = [
        *(_attempt(name, f"Bearer {token}") for name, token in tokens if _can_be_sent(token)),
        *(_attempt(f"Authorization: {value}", value.replace("GOOD", good)) for value in _VALUES),
        *(
            _attempt(f"headers {values}", *(value.replace("GOOD", good) for value in values))
            for values in _SEVERAL
        ),
        *(
            Attempt(name, tuple((key, value.replace(b"GOOD", good.encode())) for key, value in more.items()))
            for name, more in _ELSEWHERE.items()
        ),
        *(
            Attempt(f"in the query as {name}", (), f"?{name}={good}")
            for name in ("access_token", "token", "Authorization")
        ),
    ]
    return list({(attempt.headers, attempt.query): attempt for attempt in found}.values())


def _attempt(name: str, *values: str) -> Attempt:
    """Return an attempt with values of the header Authorization."""
    return Attempt(name, tuple((_AUTHORIZATION, value.encode("utf-8", "surrogatepass")) for value in values))


def _can_be_sent(text: str) -> bool:
    """Return whether a header can carry a text: without line ends, and blanks that would be stripped."""
    return not any(end in text for end in "\r\n") and text == text.strip(" \t")


_VALUES: Final = (
    *(
        "",
        "Bearer",
        "Bearer ",
        "Bearer null",
        "Bearer undefined",
        "bearer x",
        "GOOD",
        "BearerGOOD",
        "Bearer:GOOD",
    ),
    *(
        "Bearer\tGOOD",
        "Bearer=GOOD",
        'Bearer "GOOD"',
        "Bearer token=GOOD",
        "Bearer Bearer GOOD",
        "Bearer GOOD GOOD",
    ),
    *(
        "Bearer GOOD,",
        "Bearer GOOD, Bearer GOOD",
        "Bearer GOOD; charset=utf-8",
        "Bearer x GOOD",
        "Bearer GOOD x",
    ),
    *(
        "Basic YTpi",
        "Basic GOOD",
        "Token GOOD",
        "JWT GOOD",
        "DPoP GOOD",
        "Digest GOOD",
        "Negotiate GOOD",
        "OAuth GOOD",
    ),
    *(
        "Basic YTpi, Bearer GOOD",
        "Bear GOOD",
        "Bearers GOOD",
        "\u0412earer GOOD",
        "Bearer\u00a0GOOD",
        "Bearer%20GOOD",
    ),
)
_SEVERAL: Final = (
    *(("Bearer GOOD", "Bearer GOOD"), ("Bearer GOOD", "Basic YTpi"), ("Basic YTpi", "Bearer GOOD")),
    *(("Bearer GOOD", "Bearer x"), ("Bearer x", "Bearer GOOD"), ("Bearer GOOD", ""), ("", "Bearer GOOD")),
    ("Bearer GOOD",) * 3,
)
_ELSEWHERE: Final[Mapping[str, Mapping[bytes, bytes]]] = {
    "no header": {},
    "a cookie": {b"Cookie": b"access_token=GOOD; token=GOOD; Authorization=Bearer GOOD"},
    "another header": {b"X-Authorization": b"Bearer GOOD", b"X-Access-Token": b"GOOD"},
    "for a proxy": {b"Proxy-Authorization": b"Bearer GOOD"},
    "an actor's name": {
        b"X-User": b"dev|asha",
        b"X-Forwarded-User": b"dev|asha",
        b"Remote-User": b"dev|asha",
    },
}
