"""The looks at an instance of `compose.yaml`, from a container of its operations image."""

import os
from functools import partial
from pathlib import Path
from typing import Final

from pydantic import Field, ValidationError

from ops.base.encryption.stores import KeySettings
from ops.base.settings import PREFIX, ServiceSettings, Words, explained
from ops.launcher.doctor.both import looks_at_others
from ops.launcher.doctor.commands import IN_CONTAINERS
from ops.launcher.doctor.findings import Look, wrong
from ops.launcher.doctor.looks import backups, database, disk, files, host, keys, sealing, services

_SECRETS: Final = "./fleetlog secrets && chmod a+r secrets/*"
_CONFIG: Final = "docker compose config"
_PASSWORD_FILE: Final = "FLEETLOG_DATABASE_PASSWORD_FILE"  # noqa: S105 - its name


class DoctorSettings(ServiceSettings):
    """What is looked at from a container of the operations image: as the services are told it."""

    command_api: Words[str] = ()
    query_api: Words[str] = ()
    worker: Words[str] = ()
    relay: Words[str] = ()
    gateway: str = Field(default="", description="where the gateway answers, such as http://gateway:8080")
    seals: Path | None = Field(default=None, description="folder that the worker seals in")
    sealing_key: Path | None = Field(default=None, description="what it signs with")
    backups: Path | None = Field(default=None, description="folder of backups")


def looks_at_containers() -> dict[str, Look]:
    """Return the looks at what the environment names; where it is not well-formed, one that says so."""
    try:
        settings, stores = DoctorSettings(), KeySettings()
    except ValidationError as error:
        lines = explained(error).splitlines()
        return {"settings": lambda: [wrong(line, _SECRETS, _CONFIG) for line in lines]}
    if untrusted := settings.untrusted():
        what = f"{PREFIX}{untrusted} must begin with https://"
        return {"settings": lambda: [wrong(what, _CONFIG)]}
    commands, seals, key = IN_CONTAINERS, settings.seals, settings.sealing_key
    secrets = [Path(os.environ[_PASSWORD_FILE])] if _PASSWORD_FILE in os.environ else []
    looks: dict[str, Look] = {"clock": host.clock}
    if key is not None and seals is not None:
        looks["sealing key"] = partial(sealing.sealing_key, key, seals)
    secrets += [key] if key is not None else []
    looks["secrets"] = partial(files.mounted_secrets, secrets, _SECRETS)
    kept = [folder for folder in (seals, settings.backups) if folder is not None]
    looks["disk"] = partial(disk.disk, kept, for_reading=True)
    for name in ("command_api", "query_api", "worker", "relay"):
        if places := getattr(settings, name):
            service = name.replace("_", "-")
            looks[service] = partial(services.services_by_name, service, places, commands)
    if settings.gateway:
        looks["gateway"] = partial(services.gateway, settings.gateway, settings.issuer, commands)
    dsn = settings.database.get_secret_value()
    looks["database"] = partial(database.database, dsn, commands, seals=seals)
    looks["keys"] = partial(keys.keys, stores, dsn, commands.log_of("keys"), private=False)
    if settings.backups is not None:
        looks["backups"] = partial(backups.backups, settings.backups, commands, of_logs=True)
    keys_url = settings.keys_url if settings.issuer else ""
    return looks | looks_at_others(settings.issuer, keys_url, os.environ, settings.public_address)
