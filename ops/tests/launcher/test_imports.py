"""What each process loads: memory that it keeps for as long as it lives, and time of every start."""

import subprocess
import sys

import pytest

CLIENTS = {"httpx", "urllib3", "kafka"}
SHOWING = {"rich", "pygments"}
NEEDLESS = {
    # The launcher does what takes these in errands.
    "ops.launcher.commands.up": {
        *("psycopg", "pydantic", "cryptography", "sqlalchemy", "alembic", "fastapi", "structlog", "uvicorn"),
        *(CLIENTS | SHOWING),
    },
    "command_api.app": {
        "sqlalchemy",
        "alembic",
        "authlib",
        "psutil",
        "opentelemetry.sdk",
        *CLIENTS,
        *SHOWING,
    },
    "query_api.app": {
        "eventsourcing",
        "alembic",
        "authlib",
        "psutil",
        "opentelemetry.sdk",
        *CLIENTS,
        *SHOWING,
    },
    "projections.__main__, ops.base.http, projections.worker.process, projections.sealing.settings": {
        *("sqlalchemy", "jose", "authlib", "psutil", "opentelemetry.sdk"),
        *(CLIENTS | SHOWING),
    },
    "ops.launcher.identity_provider.__main__": {"fastapi", "psycopg", "jose", *CLIENTS, *SHOWING},
}


@pytest.mark.parametrize("modules", NEEDLESS, ids=lambda modules: modules.split(".")[0])
def test_no_process_loads_what_it_does_not_need(modules: str) -> None:
    tell = f"import sys, {modules}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-P", "-c", tell], capture_output=True, text=True, check=True
    ).stdout.split()
    assert NEEDLESS[modules] & {*loaded} == set()
