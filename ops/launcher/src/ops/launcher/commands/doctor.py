"""`./fleetlog doctor`: diagnosis of an instance or of this machine.

Examples:
  ./fleetlog doctor
  ./fleetlog doctor --json
"""

import argparse
import json
import os
import shlex
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from ops.launcher.commands.secrets import DEFAULT as SECRETS_FOLDER
from ops.launcher.commands.secrets import PASSWORDS, PSEUDONYM_KEY, SEALING_KEY
from ops.launcher.doctor.checks import database, files, host, network, stores
from ops.launcher.doctor.checks.leftovers import leftovers
from ops.launcher.doctor.commands import Commands, on_machine
from ops.launcher.doctor.findings import Diagnostic, Findings, well
from ops.launcher.doctor.runner import add_doctor_arguments, run_doctor
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import LAST_PROCESS, InstanceRecord, read_record
from ops.launcher.keys.inventory import key_settings
from ops.launcher.postgres.embedded import DATABASE, cluster_folder
from ops.launcher.postgres.server import superuser_dsn

_SECRETS: Final = (*PASSWORDS, PSEUDONYM_KEY, SEALING_KEY)


def configure(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    add_doctor_arguments(parser)
    parser.add_argument(
        "--backups", type=Path, metavar="FOLDER", help="backups to check (default: those of `up --backups`)"
    )
    parser.add_argument(
        "--key-backups", type=Path, metavar="FOLDER", help="backups of the keys to check (`backup --keys`)"
    )


def run(arguments: argparse.Namespace) -> int:
    return run_doctor(arguments, _checks(arguments, DataFolder(arguments.data)))


def _checks(arguments: argparse.Namespace, folder: DataFolder) -> dict[str, Diagnostic]:
    """Return the checks of an instance in any state; its data folder need not exist."""
    commands, record = on_machine(folder), read_record(folder)
    cluster = cluster_folder(folder.path) / "cluster"
    saved = arguments.backups or (Path(record.backups) if record and record.backups else None)
    checks: dict[str, Diagnostic] = {
        "disk": partial(host.disk, [folder.path, cluster, *([saved] if saved else [])]),
        "clock": partial(host.clock, [folder.path, folder.audit]),
        "files": partial(files.private_files, folder, cluster),
        "leftovers": partial(leftovers, folder, cluster),
        "keys": partial(_keys, folder, record, f"ls -l {shlex.quote(str(folder.keys))}"),
        "backups": partial(stores.backups, saved, commands)
        if saved
        else partial(
            stores.no_backups,
            is_production=folder.sign_in.exists(),
            how=f"{commands.stop} && {commands.start} --backups FOLDER",
        ),
    }
    if arguments.key_backups is not None:
        # `backup --keys` creates them together with backups of the data.
        checks["key backups"] = partial(stores.key_backups, arguments.key_backups, commands, old=stores.OLD)
    if (secrets := Path(os.environ.get("FLEETLOG_SECRETS") or SECRETS_FOLDER)).is_dir():
        checks["compose's secrets"] = partial(files.secrets_folder, secrets, _SECRETS, "./fleetlog secrets")
    if folder.owner() is not None and record is not None:
        checks |= _checks_of_running(folder, record, commands)
    return checks


def _keys(folder: DataFolder, record: InstanceRecord | None, how: str) -> Findings:
    environment = record.environments.get("command-api", {}) if record else {}
    if environment.get("FLEETLOG_KEYS", str(folder.keys)) != str(folder.keys):
        return [well("are in the store of FLEETLOG_KEYS")]
    if not folder.seals.exists() and not folder.keys.exists():
        return [well("none exist yet")]
    dsn = _dsn(folder, record, "projections") if record and folder.owner() is not None else None
    return stores.keys(key_settings(folder.keys), dsn, how, private=True)


def _checks_of_running(
    folder: DataFolder, record: InstanceRecord, commands: Commands
) -> dict[str, Diagnostic]:
    environment = record.environments.get("query-api", {})
    issuer = environment.get("FLEETLOG_ISSUER", "")
    checks: dict[str, Diagnostic] = {
        name: partial(network.service, name, process.health, commands)
        for name, process in record.processes.items()
        if process.health is not None and name != LAST_PROCESS
    }
    if LAST_PROCESS in record.processes:
        checks[LAST_PROCESS] = partial(network.gateway, record.address, issuer, commands)
    if dsn := _dsn(folder, record, "query-api"):
        checks["database"] = partial(database.database, dsn, commands, seals=folder.seals)
    keys_url = environment.get("FLEETLOG_JWKS_URL") or None
    return checks | network.provider_checks(issuer, keys_url, record.address)


def _dsn(folder: DataFolder, record: InstanceRecord, service: str) -> str | None:
    """Return the owner's DSN if the server is the embedded one, and else that of a service."""
    # `files`, and the next start, report secrets that cannot be read.
    with suppress(OSError, ValueError, KeyError, TypeError):
        password = json.loads(folder.secrets.read_text())["superuser"]
        return superuser_dsn(record.processes["postgres"].port, password, DATABASE)
    return record.environments.get(service, {}).get("FLEETLOG_DATABASE")
