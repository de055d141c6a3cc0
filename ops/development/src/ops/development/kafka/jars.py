"""Java and the broker's jars, which Maven downloads once into the project's cache."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.messages import notify
from ops.launcher.paths import CACHE, PROJECT
from ops.launcher.programs import one_at_a_time

SOURCE: Final = PROJECT / "ops" / "kafka"
_POM: Final = SOURCE / "pom.xml"
_OLDEST_JAVA: Final = 17
_HOW: Final = "on Debian: apt-get install openjdk-17-jre-headless maven"


def find_java() -> str:
    """Return the program of Java, from `JAVA_HOME` or the path."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if program is None:
        raise LauncherError(f"Apache Kafka needs Java {_OLDEST_JAVA} or later, but java is missing; {_HOW}")
    output = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', output)
    if found is None or int(found[1]) < _OLDEST_JAVA:
        version = found[1] if found else "an unknown version"
        raise LauncherError(
            f"Apache Kafka needs Java {_OLDEST_JAVA} or later, but {program} is {version}; {_HOW}"
        )
    return program


def ensure_jars() -> Path:
    """Return the folder of the broker's jars, and download them if they are missing."""
    digest = hashlib.sha256(_POM.read_bytes()).hexdigest()[:16]
    jars = CACHE / "kafka" / digest
    stamp = jars / ".complete"
    with one_at_a_time(CACHE / "kafka" / "lock"):
        if not stamp.exists():
            notify("downloading Apache Kafka's jars (once)")
            shutil.rmtree(jars, ignore_errors=True)
            _fetch(jars)
            stamp.touch()
    return jars


def _fetch(jars: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise LauncherError(f"Maven downloads Apache Kafka's jars, but mvn is missing; {_HOW}")
    log = CACHE / "kafka" / "maven.log"
    command = [
        maven, "--batch-mode", "--quiet", "--file", str(_POM),
        f"-Dmaven.repo.local={CACHE / 'maven'}",
        "dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={jars}",
    ]  # fmt: skip
    with log.open("w") as output:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode != 0:
        raise LauncherError(f"the download of Apache Kafka's jars failed; see {log}")
