"""The containers of rendered objects, in the terms of `compose.yaml`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from ops.testing.kubernetes.objects import Object

NETWORK: Final = "network-"
"""Prefix of the labels that make a pod a member of a network."""


@dataclass(frozen=True)
class Workload:
    """A container, its pod and their owner.

    Attributes:
        owner: a Deployment, a Job or a CronJob.
        template: of the owner's pods.
        others: all objects that the container may refer to.
    """

    owner: Object
    template: Object
    container: Object
    others: tuple[Object, ...]

    @property
    def pod(self) -> Object:
        spec: Object = self.template["spec"]
        return spec

    @cached_property
    def environment(self) -> Mapping[str, str]:
        """The variables, with the values of ConfigMaps and references resolved."""
        resolved: dict[str, str] = {}
        for source in self.container.get("envFrom", ()):
            resolved |= self._config_map(source["configMapRef"]["name"])
        for variable in self.container.get("env", ()):
            match variable:
                case {"value": str(value)}:
                    for name, known in resolved.items():
                        value = value.replace(f"$({name})", known)
                case {"valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}:
                    value = self.owner["metadata"]["namespace"]
                case {"valueFrom": {"secretKeyRef": {"optional": True}}}:
                    continue
                case _:
                    raise ValueError(f"a variable of an unknown source: {variable}")
            resolved[variable["name"]] = value
        return resolved

    @cached_property
    def secrets(self) -> Mapping[str, tuple[str, str]]:
        """Secret and key of each secret file, by path."""
        mounts = {mount["name"]: mount["mountPath"] for mount in self.container["volumeMounts"]}
        return {
            f"{mounts[volume['name']]}/{item['path']}": (source["secret"]["name"], item["key"])
            for volume in self.pod["volumes"]
            if volume["name"] in mounts
            for source in volume.get("projected", {"sources": ()})["sources"]
            for item in source["secret"]["items"]
        }

    def _config_map(self, name: str) -> dict[str, str]:
        (found,) = (
            item for item in self.others if (item["kind"], item["metadata"]["name"]) == ("ConfigMap", name)
        )
        data: dict[str, str] = found["data"]
        return data


def workloads(objects: Iterable[Object]) -> dict[str, Workload]:
    """Return all containers by name."""
    others = tuple(objects)
    return {
        container["name"]: Workload(owner, template, container, others)
        for owner in others
        for template in _templates(owner)
        for container in template["spec"]["containers"]
    }


def _templates(owner: Object) -> Iterator[Object]:
    match owner["kind"]:
        case "Deployment" | "Job":
            yield owner["spec"]["template"]
        case "CronJob":
            yield owner["spec"]["jobTemplate"]["spec"]["template"]
