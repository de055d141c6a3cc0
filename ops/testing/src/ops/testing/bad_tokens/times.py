"""Tokens that are not good now, or whose times are none."""

import time
from typing import Final

from ops.testing.bad_tokens.making import claim, pad, with_payload, without
from ops.testing.token_issuer import TokenIssuer

_NOW: Final = int(time.time())
_YEAR_10000: Final = 253_402_300_800

_NO_TIMES: Final[tuple[object, ...]] = (
    *(None, "", "now", "tomorrow", str(_NOW), "1e3", "2038-01-19T03:14:07Z", [], [_NOW], {}, {"value": _NOW}),
    *(True, False, _NOW + 0.5, -1, -(10**18), 2**63, 2**64, 10**15, _YEAR_10000, 10**400),
)
_NO_NUMBERS: Final = (
    "1e999",
    "-1e999",
    "1e3",
    "Infinity",
    "-Infinity",
    "NaN",
    "0x7fffffff",
    "01",
    "1_0",
    "-0.0",
)

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
    *(claim("exp", value, "expired") for value in (0, 1, _NOW - 3600, _NOW - 61, 1_000_000_000)),
    *(
        claim(name, value, "not-yet-valid")
        for name in ("nbf", "iat")
        for value in (_NOW + 3600, _NOW + 86_400, 4_000_000_000, _YEAR_10000 - 1)
    ),
)
