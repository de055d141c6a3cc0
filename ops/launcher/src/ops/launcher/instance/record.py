"""What is running of an instance, written for the commands that come later (`status`, `projections`, …)."""

import json
from dataclasses import asdict, dataclass, field
from typing import Literal

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import known, write_private

LAST_PART = "gateway"
"""Name of the part that is started when all others are ready."""

State = Literal["starting", "ready", "restarting", "stopped"]


@dataclass(frozen=True)
class PartRecord:
    """One child process.

    Attributes:
        pid: its process id; 0 while it is not running.
        started: when it began, in seconds since the epoch; with the pid it names one process for ever.
        program: first word of its command line.
        port: where it listens on 127.0.0.1.
        health: address of its readiness answer, if it has one.
        state: what the launcher last knew.
    """

    pid: int
    started: float
    program: str
    port: int
    health: str | None
    state: State


@dataclass
class Record:
    """A running instance.

    Attributes:
        address: where a browser finds it, such as `http://localhost:8080`.
        environments: environment variables of each service; they hold passwords, so the file is private.
        parts: the children by name.
        backups: the folder that the write-ahead log is streamed to, if any.
        lost_lines: the number of the launcher's log lines that could not be written.
    """

    address: str
    environments: dict[str, dict[str, str]]
    parts: dict[str, PartRecord] = field(default_factory=dict)
    backups: str | None = None
    lost_lines: int = 0

    def save(self, folder: DataFolder) -> None:
        """Write it to the data folder."""
        write_private(folder.record, json.dumps(asdict(self), indent=2))


def read_record(folder: DataFolder) -> Record | None:
    """What the last launcher wrote, if anything; a damaged file counts as none."""
    try:
        found = json.loads(folder.record.read_text())
        parts = {name: PartRecord(**known(PartRecord, part)) for name, part in found["parts"].items()}
        return Record(**known(Record, found) | {"parts": parts})
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError, AttributeError):
        return None


def running_instance(folder: DataFolder) -> Record:
    """The record of an instance that is up.

    Raises:
        LauncherError: none is, or it has only begun to start.
    """
    if folder.owner() is None:
        raise LauncherError(f"nothing is running on {folder.path}; ./fleetlog up starts it")
    record = read_record(folder)
    if record is None or LAST_PART not in record.parts:
        raise LauncherError(f"the instance on {folder.path} is still starting")
    return record
