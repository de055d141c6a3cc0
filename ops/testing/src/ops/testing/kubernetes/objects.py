"""The objects of `ops/kubernetes` as kustomize renders them, but with the images of the base."""

import json
from pathlib import Path
from typing import Any, Final

import yaml

from ops.launcher.paths import PROJECT

Object = dict[str, Any]
"""A Kubernetes object: a Deployment, a Service …"""

FOLDER: Final = PROJECT / "ops/kubernetes"


def kustomization_of(folder: str) -> Object:
    found: Object = yaml.safe_load((FOLDER / folder / "kustomization.yaml").read_text())
    return found


def objects_in(*folders: str) -> list[Object]:
    """Return the objects of a base and its overlays. Names of ConfigMaps have no content hash."""
    objects: list[Object] = []
    settings: dict[str, dict[str, str]] = {}
    for folder in folders:
        described = kustomization_of(folder)
        for path in (FOLDER / folder / name for name in described["resources"]):
            objects += _read(path) if path.is_file() else []
        for generated in described.get("configMapGenerator", ()):
            texts = [(FOLDER / folder / name).read_text() for name in generated.get("envs", ())]
            lines = [line for text in texts for line in text.splitlines() if line and line[0] != "#"]
            pairs = (line.split("=", 1) for line in (*lines, *generated.get("literals", ())))
            settings.setdefault(generated["name"], {}).update(pairs)
    objects += [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
        for name, data in settings.items()
    ]
    for item in objects:
        if item["kind"] != "Namespace":
            item["metadata"]["namespace"] = described["namespace"]
    return objects


def _read(path: Path) -> list[Object]:
    objects = yaml.safe_load_all(path.read_text())
    listed = [item for one in objects for item in (one["items"] if one["kind"] == "List" else [one])]
    return [json.loads(json.dumps(item)) for item in listed]  # anchors share parts
