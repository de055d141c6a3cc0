"""CycloneDX documents of the images and the frontend."""

import json
import re
import subprocess
import tomllib
from typing import Any, Final

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from ops.development.sbom.images import IMAGES, read_image
from ops.development.sbom.packages import read_lock
from ops.launcher.errors import LauncherError
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import FRONTEND, PROJECT

BUILD_LOCK: Final = "build"
"""The lock of what builds our packages and stays out of the images."""

_Json = dict[str, Any]


def documents() -> dict[str, str]:
    """Return the CycloneDX JSON of each image and of the frontend, by name; equal for equal locks."""
    frontend = _frontend()
    made = {name: _image(name, frontend) for name in IMAGES} | {"frontend": frontend}
    return {name: json.dumps(_reproducible(document), indent=2) + "\n" for name, document in made.items()}


def _image(name: str, frontend: _Json) -> _Json:
    image = read_image(name)
    bom = Bom()
    bom.metadata.component = _own("ops/launcher", ComponentType.CONTAINER, name=f"fleetlog/{name}")
    bom.components.add(base_component(image.base))
    bom.components.update(_own(folder, ComponentType.LIBRARY) for folder in image.own)
    for lock in image.locks:
        scope = ComponentScope.EXCLUDED if lock == BUILD_LOCK else ComponentScope.REQUIRED
        bom.components.update(read_lock(PROJECT / "ops/locks" / f"{lock}.lock", image.python, scope=scope))
    bom.register_dependency(bom.metadata.component, bom.components)
    document: _Json = json.loads(JsonV1Dot6(bom).output_as_string())
    if image.has_frontend:
        bundled = [part for part in frontend["components"] if part["scope"] == "required"]
        document["components"] += [frontend["metadata"]["component"], *bundled]
    return document


def base_component(image: str) -> Component:
    """Return the component of a base image, such as `python:3.13@sha256:…`."""
    repository, version = re.split(r"[:@](?!.*/)", image, maxsplit=1)  # the port of a registry is no tag
    registry, _, name = repository.rpartition("/")
    url = PackageURL("docker", namespace=registry or None, name=name, version=version)
    return Component(
        name=repository, version=version, type=ComponentType.CONTAINER, purl=url, bom_ref=str(url)
    )


def _own(folder: str, kind: ComponentType, *, name: str | None = None) -> Component:
    project = tomllib.loads((PROJECT / folder / "pyproject.toml").read_text())["project"]
    return Component(
        name=name or project["name"],
        version=project["version"],
        type=kind,
        bom_ref=name or project["name"],
        licenses=[LicenseFactory().make_from_string(project["license"])],
    )


def _frontend() -> _Json:
    """Return what npm makes of package-lock.json; it gives build and test tools the scope `optional`."""
    command = npm_command("sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--offline")
    done = subprocess.run(
        command, cwd=FRONTEND, env=npm_environment(), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise LauncherError(f"npm sbom failed: {done.stderr.strip()}")
    document: _Json = json.loads(done.stdout)
    return document


def _reproducible(document: _Json) -> _Json:
    """Leave out what differs from run to run; CycloneDX requires neither."""
    metadata = {key: value for key, value in document["metadata"].items() if key != "timestamp"}
    return {key: value for key, value in document.items() if key != "serialNumber"} | {"metadata": metadata}
