"""The looks at an instance of one machine: up, down, half broken, or not there at all."""

import importlib
import importlib.util
import json
import os
import shlex
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from ops.launcher.commands.secrets import DEFAULT as SECRETS_FOLDER
from ops.launcher.commands.secrets import PASSWORDS, PSEUDONYM_KEY, SEALING_KEY
from ops.launcher.doctor.both import looks_at_others
from ops.launcher.doctor.commands import Commands, on_machine
from ops.launcher.doctor.findings import Findings, Look, well
from ops.launcher.doctor.looks import (
    backups,
    database,
    disk,
    files,
    host,
    keys,
    leftovers,
    ports,
    programs,
    sealing,
    services,
)
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.record import LAST_PART, Record, read_record
from ops.launcher.keys.of_log import key_settings
from ops.launcher.postgres.embedded import DATABASE, cluster_folder
from ops.launcher.postgres.server import superuser_dsn
from ops.launcher.services import RELAY

_PORT: Final = 8080
_DEVELOPMENT: Final = "ops.development"
_SECRETS: Final = (*PASSWORDS, PSEUDONYM_KEY, SEALING_KEY)


def looks_at_machine(
    folder: DataFolder, *, port: int | None = None, kept: Path | None = None
) -> dict[str, Look]:
    """Return the looks at an instance.

    Args:
        folder: its data folder; it need not be there.
        port: that it is to be found at; if not given, that of the last time.
        kept: the folder of backups; if not given, that of the last time.
    """
    commands, record = on_machine(folder), read_record(folder)
    cluster = cluster_folder(folder.path) / "cluster"
    kept = kept or (Path(record.backups) if record and record.backups else None)
    looks: dict[str, Look] = {
        "python": programs.python,
        "postgresql": partial(programs.postgres_programs, cluster),
        "postgresql's user": partial(programs.postgres_account, cluster),
        "nginx": programs.nginx,
        "disk": partial(disk.disk, [folder.path, cluster, *([kept] if kept else [])]),
        "memory": host.memory,
        "processes": host.processes,
        "descriptors": host.descriptors,
        "local ports": host.local_ports,
        "clock": partial(host.clock, [folder.path, folder.audit]),
        "files": partial(files.private_files, folder.path, _private(folder), cluster),
        "leftovers": partial(leftovers.leftovers, folder, cluster),
        "sealing key": partial(sealing.sealing_key, folder.sealing_key, folder.seals),
        "keys": partial(_keys, folder, record, f"ls -l {shlex.quote(str(folder.keys))}"),
        "backups": partial(backups.backups, kept, commands)
        if kept
        else partial(
            backups.no_backups,
            is_production=folder.sign_in.exists(),
            how=f"{commands.stop} && {commands.start} --backups FOLDER",
        ),
    }
    if (secrets := Path(os.environ.get("FLEETLOG_SECRETS") or SECRETS_FOLDER)).is_dir():
        looks["compose's secrets"] = partial(files.secrets_folder, secrets, _SECRETS, "./fleetlog secrets")
    if folder.owner() is None:
        former = urlsplit(record.address).port if record else None
        looks["port"] = partial(ports.port_to_start_on, port or former or _PORT, commands.start)
    elif record is not None:
        looks |= _looks_at_running(folder, record, commands)
    if importlib.util.find_spec(_DEVELOPMENT) is not None:
        looks |= importlib.import_module(f"{_DEVELOPMENT}.looks").looks_at(folder)
    return looks


def _keys(folder: DataFolder, record: Record | None, how: str) -> Findings:
    told = record.environments.get("command-api", {}) if record else {}
    where = told.get("FLEETLOG_KEYS", str(folder.keys))
    if where != str(folder.keys):
        # Somebody has said so, and looks after it.
        return [well("are kept where FLEETLOG_KEYS says")]
    if not folder.seals.exists() and not folder.keys.exists():
        return [well("there is none yet")]
    dsn = _dsn(folder, record, "projections") if record and folder.owner() is not None else None
    return keys.keys(key_settings(folder.keys), dsn, how, private=True)


def _private(folder: DataFolder) -> list[Path]:
    folders = [folder.logs, folder.gateway, folder.identity_provider, folder.audit]
    files = [folder.secrets, folder.sign_in, folder.record, folder.sealing_key, folder.pseudonym_key]
    return [*folders, *files]


def _looks_at_running(folder: DataFolder, record: Record, commands: Commands) -> dict[str, Look]:
    environment = record.environments.get("query-api", {})
    issuer = environment.get("FLEETLOG_ISSUER", "")
    relay = record.environments.get(RELAY.name, {})
    looks: dict[str, Look] = {
        name: partial(services.service, name, part.health, commands)
        for name, part in record.parts.items()
        if part.health is not None and name != LAST_PART
    }
    if LAST_PART in record.parts:
        looks[LAST_PART] = partial(services.gateway, record.address, issuer, commands)
    if dsn := _dsn(folder, record, "query-api"):
        looks["database"] = partial(database.database, dsn, commands, seals=folder.seals)
    return looks | looks_at_others(issuer, environment.get("FLEETLOG_JWKS_URL", ""), relay)


def _dsn(folder: DataFolder, record: Record, service: str) -> str | None:
    """Return the owner's DSN if the server is the embedded one, and else that of a service."""
    # `files`, and the next start, report secrets that cannot be read.
    with suppress(OSError, ValueError, KeyError, TypeError):
        password = json.loads(folder.secrets.read_text())["superuser"]
        return superuser_dsn(record.parts["postgres"].port, password, DATABASE)
    return record.environments.get(service, {}).get("FLEETLOG_DATABASE")
