"""Schemas of Kubernetes' own API: of the kinds that `ops/kubernetes` uses, without descriptions and status.

They are from the package `kubernetes-validate`, whose 108 MB have all kinds and versions. To take those
of another version, or a kind more, install it elsewhere and name its folder:
`python -m ops.testing.kubernetes.api_schemas FOLDER/kubernetes-json-schema VERSION…`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import jsonschema

from ops.testing.kubernetes.rendering import FOLDER, Object, render

OLDEST: Final = "1.30"
"""Which first has preStop.sleep without being asked for it."""
NEWEST: Final = "1.37"
_OVERLAYS: Final = ("production", "development")
_OF: Final = "x-kubernetes-group-version-kind"


def require_valid(item: Object, version: str) -> None:
    """Hold an object against the API, which is to know each of its fields.

    Args:
        item: of one of the kinds in the file of the version.
        version: of the API.

    Raises:
        jsonschema.ValidationError: the API would not take it.
    """
    schemas = json.loads(_file(version).read_text())
    schema = {"$ref": f"#/$defs/{schemas['kinds'][_kind(item)]}", "$defs": schemas["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(item)


def _file(version: str) -> Path:
    return Path(__file__).with_name(f"api-{version}.json")


def _kind(item: Object) -> str:
    return f"{item['apiVersion']}/{item['kind']}"


def _named(definitions: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, definition in definitions.items():
        for of in definition.get(_OF, ()):
            yield "/".join(filter(None, (of["group"], of["version"], of["kind"]))), name


def _without_words(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_words(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return {"$ref": f"#{value['$ref'].partition('#')[2]}"}
    words = {"description"} if isinstance(value.get("description"), str) else set()
    return {
        name: _without_words(inner) for name, inner in value.items() if name not in {"status", _OF, *words}
    }


def _names_in(text: str) -> set[str]:
    return {part.partition('"')[0] for part in text.split('"#/$defs/')[1:]}


def main() -> None:
    """Write the schemas anew."""
    folder, *versions = sys.argv[1:]
    used = {_kind(item) for overlay in _OVERLAYS for item in render(FOLDER / overlay)}
    for version in versions or [OLDEST, NEWEST]:
        definitions = json.loads((Path(folder) / f"v{version}.0-local-strict/_definitions.json").read_text())[
            "$defs"
        ]
        kinds = {kind: name for kind, name in _named(definitions) if kind in used}
        kept: dict[str, str] = {}
        waiting = set(kinds.values())
        while waiting:
            name = waiting.pop()
            kept[name] = json.dumps(_without_words(definitions[name]), sort_keys=True)
            waiting |= _names_in(kept[name]) - kept.keys()
        lines = ",\n".join(f"{json.dumps(name)}: {kept[name]}" for name in sorted(kept))
        _file(version).write_text(
            f'{{"$comment": "from Kubernetes {version}, Apache-2.0; a part",\n'
            f'"kinds": {json.dumps(kinds, sort_keys=True)},\n"$defs": {{\n{lines}\n}}}}\n'
        )


if __name__ == "__main__":
    main()
