"""One of our services as a process of its own, without launcher and gateway."""

import asyncio
import os
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import IO, Final

from ops.base.process import failpoints
from ops.launcher.paths import PYTHON
from ops.launcher.processes.part import answers_ok
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.wrapped import tied_to_parent
from ops.launcher.services import DATABASE_SERVICES
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer

_START_SECONDS: Final = 90.0
_STOP_SECONDS: Final = 60.0
_SERVICES: Final = {service.name: service for service in DATABASE_SERVICES}


class ServiceProcess:
    """A running service.

    Attributes:
        address: where it answers, such as `http://127.0.0.1:20123`.
        process: its process.
    """

    def __init__(self, address: str, process: subprocess.Popen[bytes]) -> None:
        """Tell of a service that was started."""
        self.address = address
        self.process = process

    async def ended(self) -> int:
        """Wait until it has ended by itself, and return its exit status.

        Raises:
            subprocess.TimeoutExpired: it has not.
        """
        return await asyncio.to_thread(self.process.wait, _STOP_SECONDS)


def service_environment(name: str, database: Database, issuer: TokenIssuer) -> dict[str, str]:
    """The settings of a service that works on a database and trusts an issuer."""
    return {
        "FLEETLOG_HOST": "127.0.0.1",
        "FLEETLOG_DATABASE": str(getattr(database, _SERVICES[name].role or "")),
        "FLEETLOG_ISSUER": issuer.issuer,
        "FLEETLOG_AUDIENCE": issuer.audience,
        "FLEETLOG_JWKS_URL": issuer.jwks_url,
        "FLEETLOG_ENVIRONMENT": "development",
        "FLEETLOG_KEYS": "none",
    }


@asynccontextmanager
async def service_process(
    name: str, environment: Mapping[str, str], *, failpoint: str = "", stderr: IO[bytes] | None = None
) -> AsyncIterator[ServiceProcess]:
    """Run a service until the context's end; it is ready when this begins.

    Args:
        name: `command-api`, `query-api` or `projections`.
        environment: its settings; the port is replaced.
        failpoint: where it is to end itself, see `ops.base.process.failpoints`.
        stderr: where it logs; None: a file of its own.

    Raises:
        RuntimeError: it did not become ready; the text is what it printed last.
    """
    port = free_port()
    more = {"FLEETLOG_PORT": str(port), failpoints.SETTING: failpoint}
    with tempfile.TemporaryFile() as output:
        arguments = _SERVICES[name].arguments
        process = _start(arguments, {**os.environ, **environment, **more}, stderr or output)
        try:
            await _wait_until_ready(process, port, name)
        except RuntimeError as error:
            output.seek(0)
            raise RuntimeError(f"{error}: {output.read()[-2000:].decode(errors='replace')}") from None
        else:
            yield ServiceProcess(f"http://127.0.0.1:{port}", process)
        finally:
            process.terminate()
            try:
                await asyncio.to_thread(process.wait, _STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise


def _start(
    arguments: Sequence[str], environment: Mapping[str, str], output: IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        tied_to_parent([*PYTHON, *arguments], signal.SIGTERM),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


async def _wait_until_ready(process: subprocess.Popen[bytes], port: int, name: str) -> None:
    try:
        async with asyncio.timeout(_START_SECONDS):
            while not await asyncio.to_thread(answers_ok, port, "/readyz"):
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended with status {process.returncode}")
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise RuntimeError(f"{name} is not ready after {_START_SECONDS:.0f} s") from None
