"""One of the services as a process of its own, without launcher and gateway."""

import asyncio
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import IO, Final

from ops.base.process import failpoints
from ops.launcher.paths import PYTHON
from ops.launcher.processes.command_lines import start_process
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.spec import answers_ok
from ops.launcher.services import DATABASE_SERVICES
from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer

_STOP_SECONDS: Final = 60.0
_SERVICES: Final = {service.name: service for service in DATABASE_SERVICES}


@dataclass(frozen=True)
class ServiceProcess:
    """A running service.

    Attributes:
        address: its origin, such as `http://127.0.0.1:20123`.
    """

    address: str
    process: subprocess.Popen[bytes]

    async def ended(self) -> int:
        """Wait until the service ends by itself, and return its exit status.

        Raises:
            subprocess.TimeoutExpired: it still runs after a minute.
        """
        return await asyncio.to_thread(self.process.wait, _STOP_SECONDS)


def service_environment(name: str, database: Database, issuer: TokenIssuer) -> dict[str, str]:
    """Return the settings of a service that uses a database and trusts an issuer."""
    return {
        "FLEETLOG_HOST": "127.0.0.1",
        "FLEETLOG_DATABASE": str(getattr(database, _SERVICES[name].role or "")),
        "FLEETLOG_ISSUER": issuer.issuer,
        "FLEETLOG_AUDIENCE": issuer.audience,
        "FLEETLOG_JWKS_URL": issuer.jwks_url,
        "FLEETLOG_ENVIRONMENT": "development",
        "FLEETLOG_KEYS": os.environ["FLEETLOG_KEYS"],
    }


@asynccontextmanager
async def service_process(
    name: str, environment: Mapping[str, str], *, failpoint: str = "", stderr: IO[bytes] | None = None
) -> AsyncIterator[ServiceProcess]:
    """Run a service until the context's end; the context begins when the service is ready.

    Args:
        name: `command-api`, `query-api` or `projections`.
        environment: its settings; the port is replaced.
        failpoint: where the service kills itself, see `ops.base.process.failpoints`.
        stderr: file for its log; None: a temporary one.

    Raises:
        RuntimeError: it did not become ready; the text is the end of its log.
    """
    port = free_port()
    variables = {**os.environ, **environment, "FLEETLOG_PORT": str(port), failpoints.SETTING: failpoint}
    with tempfile.TemporaryFile() as output:
        process = start_process([*PYTHON, *_SERVICES[name].arguments], variables, stderr or output)
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


async def _wait_until_ready(process: subprocess.Popen[bytes], port: int, name: str) -> None:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not await asyncio.to_thread(answers_ok, port, "/readyz"):
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended with status {process.returncode}")
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise RuntimeError(f"{name} is not ready after {PATIENCE_SECONDS:.0f} s") from None
