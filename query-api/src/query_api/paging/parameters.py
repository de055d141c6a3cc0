"""From an address's query to the view of a list that it asks for."""

from collections.abc import Container
from typing import Any

from query_api.paging.view import MAX_PAGE, MAX_SIZE, View
from query_api.parameters import BadParameter, Reader, plain_text, read_parameters, whole_number


def read_view(query: bytes, *, sortable: Container[str], allowed: bool = True) -> View | None:
    """Read the parameters `page`, `size`, `sort` and `q`; others are not for us.

    Args:
        query: the address's query as it was sent.
        sortable: the fields that a view may be sorted by.
        allowed: whether a view may be asked for at all, besides what else is.

    Returns:
        The view, or None where none of the four is given: then the whole list is asked for.

    Raises:
        Problem: 422 with an error for each parameter that is bad.
    """
    readers: dict[str, Reader] = {
        "page": lambda text: {"page": whole_number(text, 0, MAX_PAGE)},
        "size": lambda text: {"size": whole_number(text, 1, MAX_SIZE)},
        "sort": lambda text: _sort(text, sortable),
        "q": lambda text: {"q": plain_text(text)},
    }
    members = read_parameters(query, readers if allowed else dict.fromkeys(readers, _refuse))
    return View(**members) if members else None


def _refuse(_text: str) -> dict[str, Any]:
    raise BadParameter("Must not be given together with as_of")


def _sort(text: str, sortable: Container[str]) -> dict[str, Any]:
    field, _, direction = text.partition(",")
    if field not in sortable or direction not in ("asc", "desc"):
        raise BadParameter("Must be a field of the list's items that holds single values, then ,asc or ,desc")
    return {"sort": field, "descending": direction == "desc"}
