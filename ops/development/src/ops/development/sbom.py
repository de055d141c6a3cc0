"""CycloneDX documents of the images and the frontend, made from ops/Dockerfile and the lock files."""

import json
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import metadata
from pathlib import Path
from typing import Any, Final

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from dotenv import dotenv_values
from packageurl import PackageURL
from packaging.markers import Marker

from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import FRONTEND, PROJECT
from ops.launcher.programs import run_silently

IMAGES: Final = ("query-api", "services", "operations", "backups", "edge", "gateway", "development")

_STAGE: Final = re.compile(r"^FROM (\S+) AS (\S+)\n(.*?)(?=^FROM |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Image:
    """Contents of an image."""

    base: str
    """The base image with its tag, its digest or both."""
    python: str
    """The version of Python that the base image is expected to have, such as "3.13"."""
    locks: frozenset[str]
    """Locks of `ops/locks` that its stages install."""
    own: frozenset[str]
    """Folders of our own distributions, relative to the project folder."""
    has_frontend: bool


def read_image(name: str) -> Image:
    """Follow the stages from which an image inherits or copies."""
    dockerfile = (PROJECT / "ops" / "Dockerfile").read_text()
    stages = {stage: (parent, steps) for parent, stage, steps in _STAGE.findall(dockerfile)}
    defaults = dict(re.findall(r"^ARG (\w+)=(\S+)", dockerfile, re.MULTILINE))
    base = name
    while base in stages:
        base = stages[base][0]
    reached: dict[str, str] = {}
    waiting = [name]
    while waiting:
        stage = waiting.pop()
        if stage in stages and stage not in reached:
            parent, reached[stage] = stages[stage]
            waiting += [parent, *re.findall(r"--from=(\S+)", reached[stage])]
    steps = "".join(reached.values())
    argument = base.strip("${}")
    settings = {**dotenv_values(PROJECT / ".env"), **os.environ}  # as compose.yaml substitutes them
    return Image(
        base=settings.get(f"FLEETLOG_{argument}") or defaults[argument],
        python=re.findall(r":(\d+\.\d+)", defaults["PYTHON_IMAGE"])[0],
        locks=frozenset(re.findall(r" -r ops/locks/([a-z-]+)\.lock", steps)),
        own=frozenset(re.findall(r" \./(\S+)", steps)),
        has_frontend="npm ci" in steps,
    )


_PIN: Final = re.compile(r"^(\S+)==(\S+)(?: ; (.+))? \\\n((?: {4}--hash=sha256:.+\n?)+)", re.MULTILINE)
_LINUX: Final = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
_SPDX: Final = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
}
"""SPDX identifiers of licence names that packages use in place of an SPDX expression."""


def read_lock(lock: Path, python: str, *, scope: ComponentScope) -> Iterator[Component]:
    """Yield the packages that a lock installs on Linux.

    Licences come from the installed packages: `.venv` holds every package of every lock at the same version.

    Args:
        python: version of Python that it is installed for, such as "3.13".
    """
    for name, pinned, marker, hashes in _PIN.findall(lock.read_text()):
        if marker and not Marker(marker).evaluate(
            {**_LINUX, "python_version": python, "python_full_version": f"{python}.0"}
        ):
            continue
        url = PackageURL("pypi", name=name, version=pinned)
        licence = _declared_licence(name)
        yield Component(
            name=name,
            version=pinned,
            purl=url,
            bom_ref=str(url),
            scope=scope,
            licenses=[LicenseFactory().make_from_string(licence)] if licence else [],
            # A lock has the hashes of all files of a version, so none of them is the hash of the component.
            external_references=[
                ExternalReference(
                    type=ExternalReferenceType.DISTRIBUTION,
                    url=XsUri(str(url)),
                    comment="hashes of all files of this version that the lock accepts",
                    hashes=[
                        HashType(alg=HashAlgorithm.SHA_256, content=digest)
                        for digest in re.findall(r"sha256:([0-9a-f]+)", hashes)
                    ],
                )
            ],
        )


def _declared_licence(name: str) -> str | None:
    """Return the licence that a package declares: an SPDX expression where `_SPDX` or the package has one."""
    declared = metadata(name).json
    if "license_expression" in declared:
        return str(declared["license_expression"])
    classifiers = [str(text) for text in declared.get("classifier", ()) if str(text).startswith("License ::")]
    names = [str(declared.get("license", "")), *(text.rpartition(" :: ")[2] for text in classifiers)]
    named = [_SPDX.get(text, text) for text in names if text and "\n" not in text]
    return named[0] if named else None


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
    document: _Json = json.loads(
        run_silently(command, "npm sbom failed", environment=npm_environment(), cwd=FRONTEND)
    )
    return document


def _reproducible(document: _Json) -> _Json:
    """Leave out what differs from run to run; CycloneDX requires neither."""
    metadata = {key: value for key, value in document["metadata"].items() if key != "timestamp"}
    return {key: value for key, value in document.items() if key != "serialNumber"} | {"metadata": metadata}
