"""`./fleetlog status`: each part of an instance, and whether it answers."""

import argparse
import json
import urllib.error
import urllib.request
from typing import Any

import psycopg

from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import PartRecord, Record, running_instance
from ops.launcher.processes.leftovers import same_process

_NAMED_STREAMS = 3
_ROW = "{:<18} {:<11} {:>7} {:>6}  {}"

configure = add_data_argument


def run(arguments: argparse.Namespace) -> int:
    """Print a row for each part; the exit status is 0 only when all are ready, if need be degraded."""
    record = running_instance(DataFolder(arguments.data))
    print(record.address)
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
        with urllib.request.urlopen(part.health, timeout=5) as answer:  # noqa: S310 - our own address
            body = answer.read()
            detail = _checks(body)
            return ("degraded" if detail else "ready"), detail
    except urllib.error.HTTPError as error:
        return "not ready", _checks(error.read())
    except OSError as error:
        return "not ready", str(getattr(error, "reason", error))


def _database_state(record: Record) -> tuple[str, str]:
    dsn = next(env["FLEETLOG_DATABASE"] for env in record.environments.values() if "FLEETLOG_DATABASE" in env)
    try:
        with psycopg.connect(dsn, connect_timeout=5):
            return "ready", ""
    except psycopg.OperationalError as error:
        return "not ready", str(error).strip().splitlines()[0]


def _checks(body: bytes) -> str:
    """What a `/readyz` answer says beyond its status, in short: only what is wrong."""
    try:
        checks: dict[str, dict[str, Any]] = json.loads(body)["checks"]
    except (ValueError, KeyError, TypeError):
        return ""
    wrong = {
        name: _brief(check.get("detail"))
        for name, check in checks.items()
        if check.get("degraded") or not check.get("ok")
    }
    return ", ".join(f"{name}: {detail or 'not ok'}" for name, detail in wrong.items())


def _brief(detail: Any) -> Any:
    """Of what a projection or the relay tells: why it stopped, or which streams it has set aside."""
    if not isinstance(detail, dict):
        return detail
    if detail.get("error"):
        return detail["error"]
    if "quarantined_streams" not in detail:
        return detail
    streams = [stream["originator_id"] for stream in detail["quarantined_streams"][:_NAMED_STREAMS]]
    more = ["…"] if detail["quarantined"] > len(streams) else []
    return f"{detail['quarantined']} set aside ({', '.join(streams + more)})"
