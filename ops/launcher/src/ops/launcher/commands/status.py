"""`./fleetlog status`: the state of each process of an instance.

Examples:
  ./fleetlog status
  ./fleetlog status --data /srv/fleetlog
"""

import argparse

import psycopg

from ops.base.checks.readiness import summary
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.readiness import checks_in, request
from ops.launcher.instance.record import InstanceRecord, ProcessRecord, running_instance
from ops.launcher.processes.orphans import find_process

_ROW = "{:<18} {:<11} {:>7} {:>6}  {}"

configure = add_data_argument


def run(arguments: argparse.Namespace) -> int:
    record = running_instance(DataFolder(arguments.data))
    print(record.address)
    if record.lost_lines:
        print(f"{record.lost_lines} log lines of the launcher could not be written")
    print(_ROW.format("PROCESS", "STATE", "PID", "PORT", "DETAIL"))
    all_ready = True
    for name, process in record.processes.items():
        state, detail = _state(process, record)
        all_ready = all_ready and state in {"ready", "degraded"}
        print(_ROW.format(name, state, process.pid or "-", process.port, detail).rstrip())
    return 0 if all_ready else 1


def _state(process: ProcessRecord, record: InstanceRecord) -> tuple[str, str]:
    if not process.pid or find_process(process.pid, process.started, process.program) is None:
        return ("restarting" if process.state == "restarting" else "down"), ""
    if process.health is None:
        return _database_state(record)
    try:
        answer = request(process.health)
    except OSError as error:
        return "not ready", str(error)
    detail = summary(checks_in(answer))
    return ("degraded" if detail else "ready") if answer.is_success else "not ready", detail


def _database_state(record: InstanceRecord) -> tuple[str, str]:
    dsn = next(env["FLEETLOG_DATABASE"] for env in record.environments.values() if "FLEETLOG_DATABASE" in env)
    try:
        with psycopg.connect(dsn, connect_timeout=5):
            return "ready", ""
    except psycopg.OperationalError as error:
        return "not ready", str(error).strip().splitlines()[0]
