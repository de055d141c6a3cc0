"""Compatibility of a schema with the released schema of the same version.

Published events are retained for ever, so a schema must match the events of all releases of its version
(Confluent: BACKWARD_TRANSITIVE), and programs for an older release must accept newer events
(FORWARD_TRANSITIVE), in which they ignore unknown members. Therefore only a new optional member and changed
descriptions are compatible. Any other change requires a new version.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

_FOR_PEOPLE: Final = frozenset({"title", "description", "examples", "deprecated", "$comment"})
_SETS: Final = frozenset({"type", "enum"})
_WALKED: Final = frozenset({"properties", "required", "items"})


def incompatibilities(released: Mapping[str, Any], derived: Mapping[str, Any]) -> list[str]:
    """Return why a derived schema may not replace the released one: a line for each reason.

    A line starts with a JSON pointer, such as `/properties/details`.
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
    """Return a keyword's value in a form that compares by meaning; as JSON, in which `true` is not 1."""
    if keyword not in schema:
        return None
    value = schema[keyword]
    alternatives = value if keyword in _SETS and isinstance(value, list) else [value]
    return frozenset(json.dumps(one, sort_keys=True) for one in alternatives)
