"""The running processes of an instance (`running.json`), for `status`, `doctor` and other commands."""

from dataclasses import field
from typing import Final, Literal

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private

LAST_PROCESS = "gateway"
"""Started when all other processes are ready."""

State = Literal["starting", "ready", "restarting", "stopped"]


@dataclass(frozen=True)
class ProcessRecord:
    """One child process.

    Attributes:
        pid: its process id; 0 while it is not running.
        started: its start time in seconds since the epoch, which with the pid identifies the process.
        program: first word of its command line.
        port: its port on 127.0.0.1.
        health: URL of its readiness answer, if any.
        state: its last known state.
    """

    pid: int
    started: float
    program: str
    port: int
    health: str | None
    state: State


@dataclass
class InstanceRecord:
    """A running instance.

    Attributes:
        address: where browsers find it, such as `http://localhost:8080`.
        environments: environment variables by service, passwords included: the file is private.
        processes: the children by name.
        backups: the folder of `up --backups`.
        lost_lines: the number of the launcher's log lines that could not be written.
    """

    address: str
    environments: dict[str, dict[str, str]]
    processes: dict[str, ProcessRecord] = field(default_factory=dict)
    backups: str | None = None
    lost_lines: int = 0

    def save(self, folder: DataFolder) -> None:
        """Write `running.json`."""
        write_private(folder.record, _RECORD.dump_json(self, indent=2).decode())


_RECORD: Final = TypeAdapter(InstanceRecord)


def read_record(folder: DataFolder) -> InstanceRecord | None:
    """Return the last launcher's record; None if the file is missing or damaged."""
    try:
        return _RECORD.validate_json(folder.record.read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None


def running_instance(folder: DataFolder) -> InstanceRecord:
    """Return the record of a running instance."""
    if folder.owner() is None:
        raise LauncherError(f"nothing is running on {folder.path}; ./fleetlog up starts it")
    record = read_record(folder)
    if record is None or LAST_PROCESS not in record.processes:
        raise LauncherError(f"the instance on {folder.path} is still starting")
    return record
