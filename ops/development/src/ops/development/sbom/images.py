"""Contents of the images, read from ops/Dockerfile."""

import os
import re
from dataclasses import dataclass
from typing import Final

from dotenv import dotenv_values

from ops.launcher.paths import PROJECT

IMAGES: Final = ("services", "operations", "backups", "edge", "gateway", "development")

_STAGE: Final = re.compile(r"^FROM (\S+) AS (\S+)\n(.*?)(?=^FROM |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Image:
    """What an image is made from."""

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
        locks=frozenset(re.findall(r" -r ops/locks/([a-z]+)\.lock", steps)),
        own=frozenset(re.findall(r" \./(\S+)", steps)),
        has_frontend="npm ci" in steps,
    )
