"""Tokens whose `exp`, `nbf` or `iat` is out of range or no NumericDate (RFC 7519, section 2)."""

import time
from typing import Final

from ops.testing.bad_tokens.builders import claim, pad, with_payload, without
from ops.testing.token_issuer import TokenIssuer

_NOW: Final = int(time.time())
_YEAR_10000: Final = 253_402_300_800

_NO_TIMES: Final[tuple[object, ...]] = (
    *(None, "", "now", "tomorrow", str(_NOW), "1e3", "2038-01-19T03:14:07Z", [], [_NOW], {}, {"value": _NOW}),
    *(True, False, -1, -0.5, -(10**18), 2**63, 2**64, 10**15, 1e15, 1e300, _YEAR_10000, 10**400),
    *(str(_NOW + 0.5), [_NOW + 0.5], _YEAR_10000 - 0.5),
)
_NO_NUMBERS: Final = (
    "1e999",
    "-1e999",
    "Infinity",
    "-Infinity",
    "NaN",
    "0x7fffffff",
    "01",
    "1_0",
    "1.",
    ".5",
)

GOOD_TIMES: Final[tuple[dict[str, float], ...]] = (
    {"exp": _NOW + 3600.5},
    {"iat": _NOW - 0.25},
    {"nbf": _NOW - 0.75, "iat": 1e3, "exp": 4e9},
    {"exp": 253_402_300_799.0, "nbf": -0.0},
    {"exp": _NOW + 3600.123456789, "nbf": _NOW - 0.000001, "iat": _NOW - 0.000001},
)
"""Valid claims: a NumericDate need not be an integer."""

TOKENS: Final = (
    claim("exp", TokenIssuer.DROP, "claims"),
    *(claim(name, value, "claims") for name in ("exp", "nbf", "iat") for value in _NO_TIMES),
    *(
        with_payload(
            f"{name} is {text}",
            "claims",
            lambda payload, name=name, text=text: pad(without(payload, name), f'"{name}": {text}'),  # type: ignore[misc]
        )
        for name in ("exp", "nbf", "iat")
        for text in _NO_NUMBERS
    ),
    *(claim("exp", value, "expired") for value in (0, 0.5, 1, _NOW - 3600, _NOW - 61, _NOW - 61.5, 1e9)),
    *(
        claim(name, value, "not-yet-valid")
        for name in ("nbf", "iat")
        for value in (_NOW + 3600, _NOW + 3600.5, 4_000_000_000, _YEAR_10000 - 1)
    ),
)
