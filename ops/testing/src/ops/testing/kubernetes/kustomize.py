"""The part of kustomize that `ops/kubernetes` uses; everything else is refused.

Thus the tests need no further program; where `kubectl` is installed, they compare its output. Names of
ConfigMaps have no content hash.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from ops.launcher.paths import PROJECT

Object = dict[str, Any]
"""A Kubernetes object: a Deployment, a Service …"""

FOLDER: Final = PROJECT / "ops/kubernetes"
_CLUSTER_WIDE: Final = frozenset({"Namespace"})


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Generator(_Model):
    """A generator of a ConfigMap."""

    name: str
    behavior: Literal["create", "merge"] = "create"
    literals: list[str] = []
    envs: list[str] = []


class Image(_Model):
    """A replacement of an image's name and tag."""

    name: str
    new_name: str = Field(alias="newName")
    new_tag: str | None = Field(default=None, alias="newTag")


class Target(_Model):
    """A selector of objects."""

    kind: str
    name: str | None = None

    def matches(self, item: Object) -> bool:
        return item["kind"] == self.kind and self.name in {None, item["metadata"]["name"]}


class Kustomization(_Model):
    api_version: Literal["kustomize.config.k8s.io/v1beta1"] = Field(alias="apiVersion")
    kind: Literal["Kustomization"]
    namespace: str | None = None
    resources: list[str]
    images: list[Image] = []
    config_maps: list[Generator] = Field(default=[], alias="configMapGenerator")


def render(folder: Path) -> list[Object]:
    """Return the objects that a folder describes.

    Raises:
        pydantic.ValidationError: it uses an unsupported feature.
        ValueError: a generator or image matches nothing.
    """
    kustomization = Kustomization.model_validate(yaml.safe_load((folder / "kustomization.yaml").read_text()))
    objects = [item for name in kustomization.resources for item in _resources(folder / name)]
    for generator in kustomization.config_maps:
        _generate(generator, objects, folder)
    if kustomization.namespace:
        for item in objects:
            if item["kind"] not in _CLUSTER_WIDE:
                item["metadata"]["namespace"] = kustomization.namespace
    for image in kustomization.images:
        for container in _some(_with_image(image.name, objects), image):
            tag = image.new_tag or container["image"].rpartition(":")[2]
            container["image"] = f"{image.new_name}:{tag}"
    return objects


def _resources(path: Path) -> list[Object]:
    if path.is_dir():
        return render(path)
    objects = yaml.safe_load_all(path.read_text())
    listed = [item for one in objects for item in (one["items"] if one["kind"] == "List" else [one])]
    # A namespace is set in each object; anchors share parts of several.
    return [json.loads(json.dumps(item)) for item in listed]


def _generate(generator: Generator, objects: list[Object], folder: Path) -> None:
    lines = [line for name in generator.envs for line in (folder / name).read_text().splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")] + generator.literals
    made: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": generator.name},
        "data": {},
    }
    if generator.behavior == "create":
        objects.append(made)
    else:
        matches = Target(kind="ConfigMap", name=generator.name).matches
        (made,) = _some((item for item in objects if matches(item)), generator)
    made["data"] |= dict(line.split("=", 1) for line in lines)


def _some(found: Iterable[Object], reason: BaseModel) -> list[Object]:
    """Return the matches of a reference, which kustomize would silently ignore without any."""
    objects = list(found)
    if not objects:
        raise ValueError(f"this matches nothing: {reason}")
    return objects


def _with_image(name: str, part: Any) -> Iterator[Object]:
    match part:
        case {"image": str(image), **others}:
            if image.rpartition(":")[0] == name:
                yield part
            yield from _with_image(name, list(others.values()))
        case dict():
            yield from _with_image(name, list(part.values()))
        case list():
            for inner in part:
                yield from _with_image(name, inner)
