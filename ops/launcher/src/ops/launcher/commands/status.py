"""`./fleetlog status`: each part of an instance, and whether it answers."""

import argparse

import psycopg

from ops.base.checks.readiness import summary
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.readiness import ask, checks_of
from ops.launcher.instance.record import PartRecord, Record, running_instance
from ops.launcher.processes.leftovers import same_process

_ROW = "{:<18} {:<11} {:>7} {:>6}  {}"

configure = add_data_argument


def run(arguments: argparse.Namespace) -> int:
    """Print a row for each part; the exit status is 0 only when all are ready, if need be degraded."""
    record = running_instance(DataFolder(arguments.data))
    print(record.address)
    if record.lost_lines:
        print(f"{record.lost_lines} log lines of the launcher could not be written")
    print(_ROW.format("PART", "STATE", "PID", "PORT", "DETAIL"))
    all_ready = True
    for name, part in record.parts.items():
        state, detail = _state(part, record)
        all_ready = all_ready and state in {"ready", "degraded"}
        print(_ROW.format(name, state, part.pid or "-", part.port, detail).rstrip())
    return 0 if all_ready else 1


def _state(part: PartRecord, record: Record) -> tuple[str, str]:
    if not part.pid or same_process(part.pid, part.started, part.program) is None:
        return ("restarting" if part.state == "restarting" else "down"), ""
    if part.health is None:
        return _database_state(record)
    try:
        answer = ask(part.health)
    except OSError as error:
        return "not ready", str(error)
    detail = summary(checks_of(answer))
    return ("degraded" if detail else "ready") if answer.is_success else "not ready", detail


def _database_state(record: Record) -> tuple[str, str]:
    dsn = next(env["FLEETLOG_DATABASE"] for env in record.environments.values() if "FLEETLOG_DATABASE" in env)
    try:
        with psycopg.connect(dsn, connect_timeout=5):
            return "ready", ""
    except psycopg.OperationalError as error:
        return "not ready", str(error).strip().splitlines()[0]
