"""The broker's jars."""

from pathlib import Path
from typing import Final

from ops.development.maven import ensure_downloaded
from ops.launcher.paths import PROJECT

NAME: Final = "Apache Kafka"
SOURCE: Final = PROJECT / "ops" / "kafka"


def ensure_jars() -> Path:
    """Return the folder of the broker's jars, and download them if they are missing."""
    return ensure_downloaded(NAME, SOURCE, "dependency:copy-dependencies", "-DincludeScope=runtime")
