"""Heartbeats of simulated processes."""

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg

from read_model.lock_keys import NAMESPACE, SEAL_KEY, lead_key
from read_model.tables import READ_TABLES


class Processes:
    """Writes heartbeats as the database's owner."""

    def __init__(self, connection: psycopg.Connection) -> None:
        """Describe them.

        Args:
            connection: in autocommit mode.
        """
        self.connection = connection

    def report(
        self,
        name: str,
        checks: Mapping[str, Any] | None = None,
        *,
        instance: str | None = None,
        health: str = "ready",
        silent: int = -3600,
        **state: Any,
    ) -> None:
        """Write the heartbeat of a process.

        Args:
            name: the service.
            checks: as in `/readyz`.
            instance: the instance's name; by default the service with a number.
            silent: seconds since the heartbeat; by default it is dated an hour ahead.
            state: further members of the state.
        """
        instance = instance or f"{name}-1"
        state_json = json.dumps({"checks": checks or {}, **state})
        self.connection.execute(
            "SELECT operations.report(%s, %s, %s, '0.1.0', now(), %s, NULL, %s)",
            (uuid.uuid4(), instance, name, health, state_json),
        )
        self.connection.execute(
            "UPDATE operations.services SET seen_at = now() - make_interval(secs => %s) WHERE instance = %s",
            (silent, instance),
        )

    def worker(self, *, role: str = "leading", sealing: Any = None, **more: Any) -> None:
        """Write the heartbeat of a worker that leads all projections and seals, or is a standby."""
        detail = {"role": role, "error": None, "head": 0, "lag_seconds": 0.0}
        checks = {table.name: {"ok": True, "detail": detail} for table in READ_TABLES}
        seals = {"role": role, "error": None, "position": 3, "sealed_at": 1_764_000_000.0, **(sealing or {})}
        checks["sealing"] = {"ok": seals["error"] is None, "detail": seals}
        self.report("projections", checks, **more)

    def relay(self, *, error: str | None = None, role: str = "leading", **more: Any) -> None:
        """Write the heartbeat of a relay."""
        detail = {"role": role, "error": error, "position": 2, "head": 5, "lag_events": 3, "lag_seconds": 0.5}
        self.report("relay", {"relay": {"ok": True, "detail": detail}}, **more)

    def clear(self) -> None:
        """Delete heartbeats, actions, quarantined streams and events."""
        self.connection.execute(
            "TRUNCATE operations.services, operations.samples, operations.sizes, operations.actions,"
            " operations.verifications, operations.backups, read.quarantined_streams, read.positions,"
            " log.events"
        )
        self.connection.execute("UPDATE log.identity SET stopped = NULL")
        self.connection.execute("UPDATE log.schema_revisions SET applied = now()")

    def all_is_well(self) -> None:
        """Write healthy heartbeats of all services; `leading` holds the locks."""
        self.report("command-api", {"clock": {"ok": True, "detail": None}})
        self.report("query-api")
        self.worker()


@contextmanager
def leading(dsn: str) -> Iterator[psycopg.Connection]:
    """Hold the leader locks of all projections and of sealing."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for key in (SEAL_KEY, *map(lead_key, READ_TABLES)):
            connection.execute("SELECT pg_try_advisory_lock(%s, %s)", (NAMESPACE, key))
        yield connection
