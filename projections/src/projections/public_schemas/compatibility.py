"""Compatibility of derived schemas with the released schemas of the same versions.

Published events are retained for ever, so a schema must match the events of all releases of its version
(Confluent: BACKWARD_TRANSITIVE), and programs for an older release must accept newer events
(FORWARD_TRANSITIVE), in which they ignore unknown members. Therefore only a new optional member and changed
descriptions are compatible. Any other change requires a new version.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

_FOR_PEOPLE: Final = frozenset({"title", "description", "examples", "deprecated", "$comment"})
_SETS: Final = frozenset({"type", "enum"})
_WALKED: Final = frozenset({"properties", "required", "items"})


@dataclass(frozen=True)
class Difference:
    """A type whose derived schema differs from the released one."""

    type: str
    kind: Literal["new", "compatible", "incompatible"]
    reasons: tuple[str, ...] = ()
    """Why the schemas are incompatible."""


def differences(
    released: Mapping[str, Mapping[str, Any]], derived: Mapping[str, Mapping[str, Any]]
) -> list[Difference]:
    """Compare all schemas by type; older versions, which are no longer derived, are left out."""
    found = []
    current = dict(map(_split, derived))
    for name in released:
        kind, version = _split(name)
        if current.get(kind, 0) < version:
            reason = "nothing of this name and version is published any more"
            found.append(Difference(name, "incompatible", (reason,)))
    for name, schema in derived.items():
        if name not in released:
            found.append(Difference(name, "new"))
        elif released[name] != schema:
            reasons = tuple(incompatibilities(released[name], schema))
            found.append(Difference(name, "incompatible" if reasons else "compatible", reasons))
    return found


def _split(name: str) -> tuple[str, int]:
    """Return a type without its version, and the version."""
    kind, _, version = name.rpartition(".v")
    return kind, int(version)


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
