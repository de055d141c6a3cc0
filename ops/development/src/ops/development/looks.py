"""What `./fleetlog doctor` looks at where development is installed, too."""

from ops.development.kafka.jars import find_java
from ops.launcher.doctor.findings import Findings, Look, warning, well
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder


def looks_at(folder: DataFolder) -> dict[str, Look]:
    """Return the looks at a data folder that only we take."""
    return {"java": java} if folder.kafka.exists() else {}


def java() -> Findings:
    """Look for the Java that runs the broker of `./fleetlog kafka`."""
    try:
        yield well(f"{find_java()} runs Kafka")
    except LauncherError as error:
        yield warning(str(error), "sudo apt-get install openjdk-17-jre-headless maven")
