"""From an address's query to the view it asks for, or to everything that is wrong with it at once."""

import re
from collections.abc import Callable, Container, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from ops.base.problems import ValidationError, validation_failed
from query_api.paging.view import MAX_PAGE, MAX_QUERY, MAX_SIZE, View

_WHOLE_NUMBER: Final = re.compile(r"[0-9]{1,10}", re.ASCII)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class _Bad(ValueError):
    """Carries the message for the client; it never repeats what was sent."""


def read_view(query: bytes, *, sortable: Container[str]) -> View | None:
    """Read the parameters `page`, `size`, `sort` and `q`; others are not for us.

    Args:
        query: the address's query as it was sent.
        sortable: the fields that a view may be sorted by.

    Returns:
        The view, or None where none of the four is given: then the whole list is asked for.

    Raises:
        Problem: 422 with an error for each parameter that is bad.
    """
    readers: Mapping[str, Callable[[str], dict[str, Any]]] = {
        "page": lambda text: {"page": _whole_number(text, 0, MAX_PAGE)},
        "size": lambda text: {"size": _whole_number(text, 1, MAX_SIZE)},
        "sort": lambda text: _sort(text, sortable),
        "q": lambda text: {"q": _search(text)},
    }
    given = _given(query)
    members: dict[str, Any] = {}
    errors = []
    for name, reader in readers.items():
        values = given.get(name, [])
        if not values:
            continue
        try:
            members |= reader(_single(values))
        except _Bad as error:
            errors.append(ValidationError.at(name, message=str(error)))
    if errors:
        raise validation_failed(errors)
    return View(**members) if members else None


def _given(query: bytes) -> dict[str, list[str]]:
    given: dict[str, list[str]] = {}
    # What is not UTF-8 becomes lone surrogates, and is refused only where it matters.
    text = query.decode("ascii", "surrogateescape")
    for name, value in parse_qsl(text, keep_blank_values=True, errors="surrogateescape"):
        given.setdefault(name, []).append(value)
    return given


def _single(values: list[str]) -> str:
    if len(values) > 1:
        raise _Bad("May be given only once")
    try:
        # Bytes that were sent as they are, not as %XX, are surrogates still.
        return values[0].encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError:
        raise _Bad("Must be UTF-8") from None


def _whole_number(text: str, low: int, high: int) -> int:
    if not _WHOLE_NUMBER.fullmatch(text) or not low <= int(text) <= high:
        raise _Bad(f"Must be a whole number from {low} to {high}")
    return int(text)


def _sort(text: str, sortable: Container[str]) -> dict[str, Any]:
    field, _, direction = text.partition(",")
    if field not in sortable or direction not in ("asc", "desc"):
        raise _Bad("Must be a field of the list's items that holds single values, then ,asc or ,desc")
    return {"sort": field, "descending": direction == "desc"}


def _search(text: str) -> str:
    if len(text) > MAX_QUERY:
        raise _Bad(f"Must be at most {MAX_QUERY} characters")
    if _CONTROL.search(text):
        raise _Bad("Must not contain control characters")
    return text
