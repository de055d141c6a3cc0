"""Checks of `./fleetlog doctor` for development."""

from ops.development.kafka.jars import find_java
from ops.launcher.doctor.findings import Diagnostic, Findings, warning, well
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder


def checks(folder: DataFolder) -> dict[str, Diagnostic]:
    """Return the checks of a data folder."""
    return {"java": java} if folder.kafka.exists() else {}


def java() -> Findings:
    """Diagnostic for the Java that runs the broker of `./fleetlog kafka`."""
    try:
        yield well(f"{find_java()} runs Kafka")
    except LauncherError as error:
        yield warning(str(error), "sudo apt-get install openjdk-17-jre-headless maven")
