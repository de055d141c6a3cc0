"""Reading an address's query, and telling everything that is wrong with it at once."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl

from ops.base.problems import ValidationError, validation_failed

MAX_TEXT: Final = 200
"""Characters of a text that is looked for."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_WHOLE_NUMBER: Final = re.compile(r"[0-9]{1,19}", re.ASCII)

Reader = Callable[[str], dict[str, Any]]
"""Turns a parameter's text into what it means, by name."""
ListReader = Callable[[Sequence[str]], dict[str, Any]]
"""The same for a parameter that may be given several times."""


class BadParameter(ValueError):
    """Carries the message for the client; it never repeats what was sent."""


def read_parameters(
    query: bytes, readers: Mapping[str, Reader], *, lists: Mapping[str, ListReader] | None = None
) -> dict[str, Any]:
    """Read the parameters that there are readers for; others are not for us.

    Args:
        query: the address's query as it was sent.
        readers: by the names of parameters that may be given once.
        lists: by the names of parameters that may be given several times.

    Returns:
        What all of them mean together.

    Raises:
        Problem: 422 with an error for each parameter that is bad.
    """
    if not query:
        return {}
    given = _given(query)
    meant: dict[str, Any] = {}
    errors = []
    several = lists or {}
    for name in (*readers, *several):
        values = given.get(name, [])
        if not values:
            continue
        try:
            if name in several:
                meant |= several[name]([_decoded(value) for value in values])
            else:
                meant |= readers[name](_single(values))
        except BadParameter as error:
            errors.append(ValidationError.at(name, message=str(error)))
    if errors:
        raise validation_failed(errors)
    return meant


def whole_number(text: str, low: int, high: int) -> int:
    """Return the number that a text shows.

    Raises:
        BadParameter: it shows none from `low` to `high`.
    """
    if not _WHOLE_NUMBER.fullmatch(text) or not low <= int(text) <= high:
        raise BadParameter(f"Must be a whole number from {low} to {high}")
    return int(text)


def plain_text(text: str) -> str:
    """Return a text that can be looked for.

    Raises:
        BadParameter: it is too long, or has control characters.
    """
    if len(text) > MAX_TEXT:
        raise BadParameter(f"Must be at most {MAX_TEXT} characters")
    if _CONTROL.search(text):
        raise BadParameter("Must not contain control characters")
    return text


def one_of(name: str, values: Sequence[str]) -> Reader:
    """Return what reads a parameter that is one of some words; what it means has the parameter's name."""

    def read(text: str) -> dict[str, Any]:
        if text not in values:
            raise BadParameter(f"Must be one of {', '.join(values)}")
        return {name: text}

    return read


def _given(query: bytes) -> dict[str, list[str]]:
    given: dict[str, list[str]] = {}
    # What is not UTF-8 becomes lone surrogates, and is refused only where it matters.
    text = query.decode("ascii", "surrogateescape")
    for name, value in parse_qsl(text, keep_blank_values=True, errors="surrogateescape"):
        given.setdefault(name, []).append(value)
    return given


def _single(values: list[str]) -> str:
    if len(values) > 1:
        raise BadParameter("May be given only once")
    return _decoded(values[0])


def _decoded(value: str) -> str:
    try:
        # Bytes that were sent as they are, not as %XX, are surrogates still.
        return value.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError:
        raise BadParameter("Must be UTF-8") from None
