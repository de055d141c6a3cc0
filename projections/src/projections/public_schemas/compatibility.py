"""Whether a schema may take the place of the one that was released under the same version.

What is published is kept for ever, so a schema must fit events of all releases of its version (Confluent
calls that BACKWARD_TRANSITIVE), and programs made for an older release must go on working with newer events
(FORWARD_TRANSITIVE). They are told to ignore members that they do not know. So one change is allowed: a new
member that may be missing. Texts for people may change as well. All else needs a new version beside the old
one.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

_FOR_PEOPLE: Final = frozenset({"title", "description", "examples", "deprecated", "$comment"})
_SETS: Final = frozenset({"type", "enum"})
_WALKED: Final = frozenset({"properties", "required", "items"})


def incompatibilities(released: Mapping[str, Any], derived: Mapping[str, Any]) -> list[str]:
    """Return what forbids that a schema takes another one's place; nothing: it may.

    Args:
        released: what has been released.
        derived: what is to take its place.

    Returns:
        One line for each reason, which begins with the place, such as `/properties/details`.
    """
    return list(_compare(released, derived, ""))


def _compare(released: Any, derived: Any, place: str) -> Iterator[str]:
    if not isinstance(released, Mapping) or not isinstance(derived, Mapping):
        if released != derived:
            yield f"{place or '/'}: another schema"
        return
    for keyword in sorted((released.keys() | derived.keys()) - _FOR_PEOPLE - _WALKED):
        if _plain(released, keyword) != _plain(derived, keyword):
            yield f"{place}/{keyword}: changed"
    yield from _compare_members(released, derived, place)
    if "items" in released or "items" in derived:
        yield from _compare(released.get("items"), derived.get("items"), f"{place}/items")


def _compare_members(released: Mapping[str, Any], derived: Mapping[str, Any], place: str) -> Iterator[str]:
    before, after = released.get("properties", {}), derived.get("properties", {})
    for name in before:
        if name in after:
            yield from _compare(before[name], after[name], f"{place}/properties/{name}")
        else:
            yield f"{place}/properties/{name}: gone"
    if released.get("additionalProperties") is not False:
        for name in after.keys() - before.keys():
            yield f"{place}/properties/{name}: could be anything until now"
    required_before, required_after = set(released.get("required", ())), set(derived.get("required", ()))
    for name in sorted(required_before - required_after):
        yield f"{place}/required: {name} may be missing now"
    for name in sorted(required_after - required_before):
        yield f"{place}/required: {name} could be missing until now"


def _plain(schema: Mapping[str, Any], keyword: str) -> frozenset[str] | None:
    """Return a keyword's value such that equal values mean the same; as JSON, whose `true` is not 1."""
    if keyword not in schema:
        return None
    value = schema[keyword]
    alternatives = value if keyword in _SETS and isinstance(value, list) else [value]
    return frozenset(json.dumps(one, sort_keys=True) for one in alternatives)
