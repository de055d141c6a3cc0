"""Schemas of custom resources: of what operators define, as much as `ops/kubernetes/dependencies` uses.

They are whole in the releases of the operators, where one has thousands of lines. To take those of another
release, or after a field was added, name its definitions:
`python -m ops.testing.kubernetes.custom_resources RELEASE FILE…`.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

import yaml

from ops.testing.kubernetes.rendering import FOLDER, Object, render

SCHEMAS: Final = Path(__file__).with_name("custom_resources.json")
"""By `apiVersion/kind`; who reads one finds no field in it that we do not use."""
_MEANT_FOR_SERVERS: Final = ("description", "default", "format")


def used_part(schema: Object, values: list[Any]) -> Object:
    """Leave out of a schema what some values do not use.

    Args:
        schema: as operators publish it.
        values: all that there are at this place.
    """
    kept = {
        name: value
        for name, value in schema.items()
        if not name.startswith("x-kubernetes-") and name not in _MEANT_FOR_SERVERS
    }
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    if "properties" in schema:
        names = {name for value in values for name in value} & schema["properties"].keys()
        kept["properties"] = {
            name: used_part(schema["properties"][name], [value[name] for value in values if name in value])
            for name in sorted(names)
        }
        kept["additionalProperties"] = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    elif "items" in schema:
        kept["items"] = used_part(schema["items"], [inner for value in values for inner in value])
    return kept


def main() -> None:
    """Write the schemas anew."""
    release, *files = sys.argv[1:]
    known = json.loads(SCHEMAS.read_text()) if SCHEMAS.exists() else {}
    objects = render(FOLDER / "dependencies")
    for file in files:
        for definition in yaml.safe_load_all(Path(file).read_text()):
            if not definition or definition["kind"] != "CustomResourceDefinition":
                continue
            group, kind = definition["spec"]["group"], definition["spec"]["names"]["kind"]
            for version in definition["spec"]["versions"]:
                told = f"{group}/{version['name']}"
                values = [item for item in objects if (item["apiVersion"], item["kind"]) == (told, kind)]
                if values:
                    schema = used_part(version["schema"]["openAPIV3Schema"], values)
                    schema["properties"]["metadata"] = {"type": "object"}
                    known[f"{told}/{kind}"] = {"$comment": f"from {release}, Apache-2.0; a part", **schema}
    SCHEMAS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
