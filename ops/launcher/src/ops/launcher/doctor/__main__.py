"""`python -m ops.launcher.doctor`: the service `doctor` of `compose.yaml`, which checks its containers."""

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Final

from pydantic import Field, ValidationError

from ops.base.encryption.settings import KeySettings
from ops.base.settings import PREFIX, ServiceSettings, Words, explained
from ops.launcher.doctor.checks import database, host, network, stores
from ops.launcher.doctor.commands import IN_CONTAINERS
from ops.launcher.doctor.findings import Diagnostic, wrong
from ops.launcher.doctor.runner import add_doctor_arguments, run_doctor

_SECRETS: Final = "./fleetlog secrets && chmod a+r secrets/*"
_CONFIG: Final = "docker compose config"


class DoctorSettings(ServiceSettings):
    """Settings, named as for the services: `HOST:PORT` of each service, and mounted folders."""

    command_api: Words[str] = ()
    query_api: Words[str] = ()
    worker: Words[str] = ()
    relay: Words[str] = ()
    notify: Words[str] = ()
    gateway: str = Field(default="", description="address of the gateway, such as http://gateway:8080")
    seals: Path | None = Field(default=None, description="folder of the worker's checkpoints")
    backups: Path | None = Field(default=None, description="folder of backups")
    key_backups: Path | None = Field(default=None, description="folder of backups of the keys")


def checks_of_containers() -> dict[str, Diagnostic]:
    """Return the checks that the environment configures, or one that reports a malformed environment."""
    try:
        settings, key_settings = DoctorSettings(), KeySettings()
    except ValidationError as error:
        lines = explained(error).splitlines()
        return {"settings": lambda: [wrong(line, _SECRETS, _CONFIG) for line in lines]}
    if untrusted := settings.untrusted():
        what = f"{PREFIX}{untrusted} must begin with https://"
        return {"settings": lambda: [wrong(what, _CONFIG)]}
    commands, seals = IN_CONTAINERS, settings.seals
    checks: dict[str, Diagnostic] = {"clock": host.clock}
    folders = [one for one in (seals, settings.backups, settings.key_backups) if one is not None]
    checks["disk"] = partial(host.disk, folders, for_reading=True)
    for name in ("command_api", "query_api", "worker", "relay", "notify"):
        if places := getattr(settings, name):
            service = name.replace("_", "-")
            checks[service] = partial(network.services_by_name, service, places, commands)
    if settings.gateway:
        checks["gateway"] = partial(network.gateway, settings.gateway, settings.issuer, commands)
    dsn = settings.database.get_secret_value()
    checks["database"] = partial(database.database, dsn, commands, seals=seals)
    checks["keys"] = partial(stores.keys, key_settings, dsn, commands.log_of("keys"), private=False)
    if settings.backups is not None:
        checks["backups"] = partial(stores.backups, settings.backups, commands, per_log=True)
    if settings.key_backups is not None:
        checks["key backups"] = partial(stores.key_backups, settings.key_backups, commands)
    return checks | network.provider_checks(settings.issuer, settings.keys_url, settings.public_address)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="doctor", description="Find faults of the services, and the commands that fix them."
    )
    add_doctor_arguments(parser)
    sys.exit(run_doctor(parser.parse_args(), checks_of_containers()))
