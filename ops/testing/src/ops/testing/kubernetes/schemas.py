"""Schemas that validate `ops/kubernetes`, without descriptions and unused parts.

Those of Kubernetes' own API are from the package `kubernetes-validate`, of whose 108 MB only the kinds in use
are kept; those of custom resources are from the releases of the operators. To update them, run
`python -m ops.testing.kubernetes.schemas api FOLDER/kubernetes-json-schema VERSION…`, where FOLDER has the
package, or `python -m ops.testing.kubernetes.schemas RELEASE FILE…` with the release's resource definitions.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jsonschema
import yaml

from ops.testing.kubernetes.objects import Object, objects_in

OLDEST: Final = "1.30"
"""The first version that enables preStop.sleep by default."""
NEWEST: Final = "1.37"
CUSTOM_RESOURCES: Final = Path(__file__).with_name("custom_resources.json")
"""Schemas by `apiVersion/kind`, which refuse fields that `ops/kubernetes` does not use."""
_KINDS: Final = "x-kubernetes-group-version-kind"
_SERVER_ONLY: Final = ("description", "default", "format")


def require_valid(item: Object, version: str) -> None:
    """Validate an object against the API of a version, strictly.

    Raises:
        jsonschema.ValidationError: the API would refuse the object.
    """
    schemas = json.loads(_file(version).read_text())
    schema = {"$ref": f"#/$defs/{schemas['kinds'][kind_of(item)]}", "$defs": schemas["$defs"]}
    jsonschema.Draft202012Validator(schema).validate(item)


def kind_of(item: Object) -> str:
    return f"{item['apiVersion']}/{item['kind']}"


def _file(version: str) -> Path:
    return Path(__file__).with_name(f"api-{version}.json")


def _without_descriptions(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_descriptions(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return {"$ref": f"#{value['$ref'].partition('#')[2]}"}
    dropped = {"status", _KINDS, *({"description"} if isinstance(value.get("description"), str) else ())}
    return {name: _without_descriptions(inner) for name, inner in value.items() if name not in dropped}


def _update_api(folder: Path, versions: Sequence[str]) -> None:
    used = {kind_of(item) for item in objects_in("base", "production")}
    for version in versions or (OLDEST, NEWEST):
        path = folder / f"v{version}.0-local-strict/_definitions.json"
        definitions = json.loads(path.read_text())["$defs"]
        kinds = {
            kind: name
            for name, definition in definitions.items()
            for of in definition.get(_KINDS, ())
            if (kind := "/".join(filter(None, (of["group"], of["version"], of["kind"])))) in used
        }
        kept: dict[str, str] = {}
        waiting = set(kinds.values())
        while waiting:
            name = waiting.pop()
            kept[name] = json.dumps(_without_descriptions(definitions[name]), sort_keys=True)
            waiting |= {part.partition('"')[0] for part in kept[name].split('"#/$defs/')[1:]} - kept.keys()
        lines = ",\n".join(f"{json.dumps(name)}: {kept[name]}" for name in sorted(kept))
        _file(version).write_text(
            f'{{"$comment": "from Kubernetes {version}, Apache-2.0; a part",\n'
            f'"kinds": {json.dumps(kinds, sort_keys=True)},\n"$defs": {{\n{lines}\n}}}}\n'
        )


def _used_part(schema: Object, values: list[Any]) -> Object:
    """Return the part of an operator's schema that some values at its place use."""
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    kept = {
        name: value
        for name, value in schema.items()
        if not name.startswith("x-kubernetes-") and name not in _SERVER_ONLY
    }
    if "properties" in schema:
        names = {name for value in values for name in value} & schema["properties"].keys()
        kept["properties"] = {
            name: _used_part(schema["properties"][name], [value[name] for value in values if name in value])
            for name in sorted(names)
        }
        kept["additionalProperties"] = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    elif "items" in schema:
        kept["items"] = _used_part(schema["items"], [inner for value in values for inner in value])
    return kept


def _update_custom_resources(release: str, files: Sequence[str]) -> None:
    known = json.loads(CUSTOM_RESOURCES.read_text())
    objects = objects_in("dependencies")
    for definition in (each for file in files for each in yaml.safe_load_all(Path(file).read_text())):
        if not definition or definition["kind"] != "CustomResourceDefinition":
            continue
        group, kind = definition["spec"]["group"], definition["spec"]["names"]["kind"]
        for version in definition["spec"]["versions"]:
            full = f"{group}/{version['name']}/{kind}"
            if values := [item for item in objects if kind_of(item) == full]:
                schema = _used_part(version["schema"]["openAPIV3Schema"], values)
                schema["properties"]["metadata"] = {"type": "object"}
                known[full] = {"$comment": f"from {release}, Apache-2.0; a part", **schema}
    CUSTOM_RESOURCES.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    if sys.argv[1] == "api":
        _update_api(Path(sys.argv[2]), sys.argv[3:])
    else:
        _update_custom_resources(sys.argv[1], sys.argv[2:])
