"""Renders `ops/kubernetes` as kustomize does, as far as we use it; what is not here is refused.

So the tests need no program that a fresh machine has not. Where there is `kubectl`, they compare the two.
Names of ConfigMaps stay without the hash of what they hold.
"""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from ops.launcher.paths import PROJECT

Object = dict[str, Any]
"""Of Kubernetes: a Deployment, a Service …"""

FOLDER: Final = PROJECT / "ops/kubernetes"
_CLUSTER_WIDE: Final = frozenset({"Namespace"})


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Generator(_Model):
    """A ConfigMap that is made of texts."""

    name: str
    behavior: Literal["create", "merge"] = "create"
    literals: list[str] = []
    envs: list[str] = []


class Image(_Model):
    """By which name an image is to be had."""

    name: str
    new_name: str = Field(alias="newName")
    new_tag: str | None = Field(default=None, alias="newTag")


class Target(_Model):
    """What a patch is for."""

    kind: str
    name: str | None = None

    def is_meant(self, item: Object) -> bool:
        """Whether an object is what the patch is for."""
        return item["kind"] == self.kind and self.name in {None, item["metadata"]["name"]}


class Operation(_Model):
    """A step of a patch, as RFC 6902 has it."""

    op: Literal["add", "replace", "remove"]
    path: str = Field(pattern=r"^/[^~]+$")
    value: Any = None


class Patch(_Model):
    """A change of some objects: a file, or the text itself."""

    target: Target
    path: str | None = None
    patch: str | None = None


class Kustomization(_Model):
    """The file of a folder."""

    api_version: Literal["kustomize.config.k8s.io/v1beta1"] = Field(alias="apiVersion")
    kind: Literal["Kustomization"]
    namespace: str | None = None
    resources: list[str]
    images: list[Image] = []
    config_maps: list[Generator] = Field(default=[], alias="configMapGenerator")
    patches: list[Patch] = []


def render(folder: Path) -> list[Object]:
    """Return the objects that a folder describes.

    Raises:
        pydantic.ValidationError: it asks for what is not known here.
        ValueError: a part of it is for nothing.
    """
    told = Kustomization.model_validate(yaml.safe_load((folder / "kustomization.yaml").read_text()))
    objects = [item for name in told.resources for item in _resources(folder / name)]
    for generator in told.config_maps:
        _generate(generator, objects, folder)
    for patch in told.patches:
        text = patch.patch if patch.path is None else (folder / patch.path).read_text()
        steps = [Operation.model_validate(step) for step in yaml.safe_load(text or "")]
        for item in _some((item for item in objects if patch.target.is_meant(item)), patch):
            for step in steps:
                _apply(step, item)
    if told.namespace:
        for item in objects:
            if item["kind"] not in _CLUSTER_WIDE:
                item["metadata"]["namespace"] = told.namespace
    for image in told.images:
        for container in _some(_with_image(image.name, objects), image):
            tag = image.new_tag or container["image"].rpartition(":")[2]
            container["image"] = f"{image.new_name}:{tag}"
    return objects


def _resources(path: Path) -> list[Object]:
    return render(path) if path.is_dir() else list(yaml.safe_load_all(path.read_text()))


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
        is_meant = Target(kind="ConfigMap", name=generator.name).is_meant
        (made,) = _some((item for item in objects if is_meant(item)), generator)
    made["data"] |= dict(line.split("=", 1) for line in lines)


def _some(found: Iterable[Object], reason: BaseModel) -> list[Object]:
    """What was found; kustomize would say nothing if it were nothing."""
    objects = list(found)
    if not objects:
        raise ValueError(f"this is for nothing: {reason}")
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


def _apply(step: Operation, item: Object) -> None:
    *way, last = step.path.strip("/").split("/")
    place: Any = item
    value = deepcopy(step.value)  # each object's own, which a later step may change
    for word in way:
        place = place[int(word) if isinstance(place, list) else word]
    if isinstance(place, list):
        if (step.op, last) != ("add", "-"):
            raise ValueError(f"only ends of lists are known here: {step.path}")
        place.append(value)
    elif step.op == "remove":
        del place[last]
    elif step.op == "replace" and last not in place:
        raise ValueError(f"there is nothing to replace: {step.path}")
    else:
        place[last] = value
