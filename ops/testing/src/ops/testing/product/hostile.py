"""What only mistaken or hostile clients send."""

from typing import Any, Final

_JSON: Final = "application/json"

HOSTILE_BODIES: Final = (
    (b"", _JSON, 422),
    (b"{", _JSON, 422),
    (b"[]", _JSON, 422),
    (b'"text"', _JSON, 422),
    (b"null", _JSON, 422),
    (b'{"name": "\xff"}', _JSON, 422),
    (b'{"lat": NaN}', _JSON, 422),
    (b'{"lat": -Infinity}', _JSON, 422),
    (b'{"lat": 1e999}', _JSON, 422),
    (b'{"lat": 123456789012345678901234567890}', _JSON, 422),
    (b'{"name": "\\u0000"}', _JSON, 422),
    (b'{"name": "\\u001F"}', _JSON, 422),
    (b'{"name": "\\f"}', _JSON, 422),
    (b'{"name": "\x7f"}', _JSON, 422),
    (b'{"name": "\xc2\x85"}', _JSON, 422),
    (b'{"name": "\\ud800"}', _JSON, 422),
    (b'{"metadata": {"b": 1, "b": 2}}', _JSON, 422),
    (b'{"metadata": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", _JSON, 422),
    (b"[" * 100_000, _JSON, 422),
    (b'{"name": "' + b"x" * 262_144 + b'"}', _JSON, 413),
    (b"x" * 600_000, _JSON, 413),
    (b"{}", "text/plain", 415),
    (b"{}", "", 415),
    (b"{}", "application/json; charset=utf-16", 415),
    (b"name=x", "application/x-www-form-urlencoded", 415),
)
"""Content, content type, and the status that must answer them."""

BAD_IDS: Final[tuple[Any, ...]] = (
    "-a", ".a", "a b", "a/b", "x" * 65, "é", "a\n", "add", "edit", "import", 7, True, ["a"], {},
)  # fmt: skip
"""Values of `id` in a body that no entity can have."""

UNKNOWN_IDS: Final = ("nobody", "add", "edit", "import", "x" * 65, "-a", "a%20b", "%C3%A9", "%FF")
"""Ids in an address under which nothing is registered, ever."""

BAD_KEYS: Final = ("", "a b", "x" * 256, "tab\there")
"""Values of `Idempotency-Key`."""

BAD_TOKENS: Final = (None, "Bearer", "Bearer x", "Bearer a.b.c", "Basic YTpi", "Bearer " + "x" * 8_000)
"""Values of `Authorization`; None: no such header."""
