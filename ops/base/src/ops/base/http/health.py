"""Liveness, readiness and metrics of a service."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from fastapi import FastAPI
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest
from psycopg_pool import PoolTimeout
from starlette.responses import Response

from ops.base.checks.readiness import summary
from ops.base.database.log_watch import LogWatch
from ops.base.encryption.key_cache import KEYS, KeyCache
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.observability.log_stream import LogStream
from ops.base.process.tasks import failures


@dataclass(frozen=True)
class ReadinessCheck:
    """One check of a readiness answer."""

    ok: bool
    detail: Any = None
    degraded: bool = False
    """Whether an operator must act though it works; a restart would not help."""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"ok": self.ok, **({"degraded": True} if self.degraded else {}), "detail": self.detail}


def sign_in_check(app: FastAPI) -> ReadinessCheck:
    """Check that access tokens can be verified."""
    missing = None if app.state.token_verifier.ready else "no keys yet"
    if not app.state.revocations.known:
        missing = "the list of revoked tokens cannot be read"
    return ReadinessCheck(ok=missing is None, detail=missing)


async def keys_check(cache: KeyCache = KEYS, *, vital: bool) -> ReadinessCheck:
    """Check that encryption keys are available, and belong to the log.

    Args:
        vital: whether the service does nothing without keys; readers still serve what they have decrypted.
    """
    try:
        await cache.check()
    except KeysUnavailable as error:
        return ReadinessCheck(ok=not vital, degraded=not vital, detail=str(error))
    missing = cache.missing_key
    detail = missing and f"the key store never had key {missing}"
    return ReadinessCheck(ok=True, degraded=missing is not None, detail=detail)


@dataclass(frozen=True)
class Health:
    """Readiness of a process, by check."""

    ready: bool
    checks: Mapping[str, ReadinessCheck]

    @property
    def degraded(self) -> bool:
        """Whether an operator must act though the process is ready."""
        return any(check.degraded for check in self.checks.values())

    @property
    def reason(self) -> str | None:
        """Why checks fail or are degraded, in one line."""
        return summary(self.as_json()) or None

    def as_json(self) -> dict[str, Any]:
        """Return the checks as JSON."""
        return {name: check.as_json() for name, check in self.checks.items()}


_FAILING: Final = Gauge(
    "fleetlog_check_failing", "1 while a readiness check of this process fails or is degraded", ["check"]
)
_known: set[str] = set()
FOR_ANYBODY: Final[dict[str, Any]] = {"include_in_schema": False, "openapi_extra": {"security": []}}
"""Of routes that need no sign-in and are not documented."""

_SECONDS: Final = 3.0
"""How long the checks may take: less than their callers wait."""

Readiness = Callable[[], Awaitable[Mapping[str, ReadinessCheck]]]


async def health_of(app: FastAPI, readiness: Readiness, watch: LogWatch | None) -> Health:
    """Return the health of an application.

    Args:
        app: the application; `app.state.is_ending` is set during its shutdown.
        readiness: checks that must all succeed.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            checks = dict(await readiness())
    except (psycopg.Error, PoolTimeout, TimeoutError) as error:
        checks = {"database": ReadinessCheck(ok=False, detail=type(error).__name__)}
    if failed := failures():
        detail = ", ".join(f"{name} ({error})" for name, error in failed.items())
        checks["tasks"] = ReadinessCheck(
            ok=True, degraded=True, detail=f"failed within the last minute: {detail}"
        )
    if isinstance(sys.stderr, LogStream) and sys.stderr.is_losing:
        checks["logging"] = ReadinessCheck(ok=True, degraded=True, detail="log lines cannot be written")
    if watch is not None and watch.stopped:
        checks["log_stopped"] = ReadinessCheck(ok=False, detail=watch.stopped)
    if app.state.is_ending:
        checks["ending"] = ReadinessCheck(ok=False, detail="shutting down")
    _known.update(checks)
    for name in _known:
        _FAILING.labels(name).set(name in checks and (checks[name].degraded or not checks[name].ok))
    return Health(all(check.ok for check in checks.values()), checks)


def add_health_endpoints(app: FastAPI, readiness: Readiness, watch: LogWatch | None) -> None:
    """Add `/livez`, `/readyz` and `/metrics`; see `health_of`."""

    @app.get("/livez", **FOR_ANYBODY)
    async def livez() -> Response:
        return Response('{"status":"ok"}', media_type="application/json")

    @app.get("/readyz", **FOR_ANYBODY)
    async def readyz() -> Response:
        health = await health_of(app, readiness, watch)
        body = {
            "status": ("degraded" if health.degraded else "ok") if health.ready else "unavailable",
            "checks": health.as_json(),
        }
        status = 200 if health.ready else 503
        return Response(json.dumps(body), status_code=status, media_type="application/json")

    @app.get("/metrics", **FOR_ANYBODY)
    async def metrics() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
