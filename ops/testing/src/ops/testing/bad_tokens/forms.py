"""Tokens that are not a compact JWS (RFC 7515, section 3.1) of an acceptable size."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from ops.testing.bad_tokens.builders import BadToken, with_segments, with_token


def _inserted(what: str, where: int, token: str) -> str:
    """Insert a text before, in the middle of, or after one of the segments."""
    segments = token.split(".")
    segment, place = segments[where // 3], where % 3
    at = (0, len(segment) // 2, len(segment))[place]
    segments[where // 3] = segment[:at] + what + segment[at:]
    return ".".join(segments)


_PLACES: Final = [
    f"{place} the {segment}"
    for segment in ("header", "payload", "signature")
    for place in ("before", "in", "after")
]

_FOREIGN: Final = {
    "a padding sign": "=",
    "two padding signs": "==",
    "a plus": "+",
    "a slash": "/",
    "a blank": " ",
    "a tab": "\t",
    "a line feed": "\n",
    "a carriage return": "\r",
    "a folded line": "\r\n ",
    "a form feed": "\x0c",
    "NUL": "\0",
    "DEL": "\x7f",
    "é": "é",
    "a no-break space": "\u00a0",
    "a byte order mark": "\ufeff",
    "a full-width letter": "\uff45",
    "an emoji": "\U0001f600",
    "%41": "%41",
    "a comma": ",",
    "a tilde": "~",
    "a quotation mark": '"',
    "a second dot": ".",
}


def _with_foreign_characters() -> Iterator[BadToken]:
    for number, (name, what) in enumerate(_FOREIGN.items()):
        # Each character in three of the nine places, in rotation.
        for where in {number % 9, (number + 4) % 9, (number + 7) % 9}:
            change: Callable[[str], str] = partial(_inserted, what, where)
            yield with_token(f"{name} {_PLACES[where]}", "malformed", change)


TOKENS: Final = (
    BadToken("empty", "malformed", lambda _: ""),
    BadToken("one segment", "malformed", lambda _: "abc"),
    BadToken("only dots", "malformed", lambda _: ".."),
    BadToken("a thousand dots", "malformed", lambda _: "." * 1000),
    BadToken("null", "malformed", lambda _: "null"),
    BadToken("undefined", "malformed", lambda _: "undefined"),
    BadToken("an opaque token", "malformed", lambda _: "mF_9.B5f-4.1JqM"),
    BadToken("JSON serialisation", "malformed", lambda _: json.dumps({"payload": "e30", "signature": "x"})),
    BadToken("a million characters", "malformed", lambda _: "A" * 1_000_000),
    with_segments("two segments", "malformed", lambda h, p, _: f"{h}.{p}"),
    with_segments("no signature", "malformed", lambda h, p, _: f"{h}.{p}."),
    with_segments("no payload", "malformed", lambda h, _, s: f"{h}..{s}"),
    with_segments("no header", "malformed", lambda _, p, s: f".{p}.{s}"),
    with_segments("header alone", "malformed", lambda h, _p, _s: f"{h}.."),
    with_segments("double dots", "malformed", lambda h, p, s: f"{h}..{p}..{s}"),
    with_segments("payload first", "algorithm", lambda h, p, s: f"{p}.{h}.{s}"),
    with_segments("signature first", "malformed", lambda h, p, s: f"{s}.{h}.{p}"),
    with_segments("backwards", "malformed", lambda h, p, s: f"{s}.{p}.{h}"),
    with_segments("header three times", "signature", lambda h, _p, _s: f"{h}.{h}.{h}"),
    with_segments("header twice", "malformed", lambda h, p, s: f"{h}.{h}.{p}.{s}"),
    with_token("twice", "malformed", lambda token: token + token),
    with_token("twice with a dot", "malformed", lambda token: f"{token}.{token}"),
    with_token("five segments, as if encrypted", "malformed", lambda token: token + ".AAAA.AAAA"),
    with_token("in quotation marks", "malformed", lambda token: f'"{token}"'),
    with_token("in angle brackets", "malformed", lambda token: f"<{token}>"),
    with_token("as a parameter", "malformed", lambda token: f"token={token}"),
    with_token("after the scheme once more", "malformed", lambda token: f"Bearer {token}"),
    with_token("its dots escaped", "malformed", lambda token: token.replace(".", "%2E")),
    with_token("other dots", "malformed", lambda token: token.replace(".", "\u3002")),
    with_token("hexadecimal", "malformed", lambda token: token.encode().hex()),
    with_token("the end alone", "malformed", lambda token: token[-40:]),
    with_token("8 193 characters", "malformed", lambda token: token + "A" * (8193 - len(token))),
    with_token("a lone surrogate", "malformed", lambda token: token + "\ud800"),
    *_with_foreign_characters(),
)
