"""Java, and programs that Maven downloads once into the project's cache."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.messages import notify
from ops.launcher.paths import CACHE
from ops.launcher.programs import one_at_a_time

_HOW: Final = "on Debian: apt-get install openjdk-17-jre-headless maven"


def find_java(user: str) -> str:
    """Return the program of Java, from `JAVA_HOME` or the path.

    Args:
        user: the name of the program that needs it, for the error.
    """
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if program is None:
        raise LauncherError(f"{user} needs Java 17 or later, but java is missing; {_HOW}")
    return program


def ensure_downloaded(
    name: str, source: Path, *goal: str, prepare: Callable[[Path], None] = lambda _: None
) -> Path:
    """Return the folder of a program's files in the cache; download them if they are missing.

    Args:
        name: of the program.
        source: folder with its `pom.xml`, which names the files; its name is that of the cache's folder.
        goal: of Maven's dependency plugin, with options.
        prepare: called once with the downloaded files.
    """
    pom, cache = source / "pom.xml", CACHE / source.name
    folder = cache / hashlib.sha256(pom.read_bytes()).hexdigest()[:16]
    stamp = folder / ".complete"
    with one_at_a_time(cache / "lock"):
        if not stamp.exists():
            notify(f"downloading {name} (once)")
            shutil.rmtree(folder, ignore_errors=True)
            _fetch(name, pom, [*goal, f"-DoutputDirectory={folder}"], cache / "maven.log")
            prepare(folder)
            stamp.touch()
    return folder


def _fetch(name: str, pom: Path, goal: list[str], log: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise LauncherError(f"Maven downloads {name}, but mvn is missing; {_HOW}")
    command = [
        *(maven, "--batch-mode", "--quiet", "--file", str(pom), f"-Dmaven.repo.local={CACHE / 'maven'}"),
        *goal,
    ]
    with log.open("w") as output:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode != 0:
        raise LauncherError(f"the download of {name} failed; see {log}")
