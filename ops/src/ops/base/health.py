"""What operators and balancers ask a service: whether it lives, whether it is ready, and its metrics."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from fastapi import FastAPI
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response

from ops.base.log_watch import LogWatch


@dataclass(frozen=True)
class Check:
    """One line of a readiness answer."""

    ok: bool
    detail: Any = None
    degraded: bool = False
    """It does its work, and a restart would not help, but somebody must look at it."""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"ok": self.ok, **({"degraded": True} if self.degraded else {}), "detail": self.detail}


def sign_in_check(app: FastAPI) -> Check:
    """Tell whether access tokens can be judged."""
    missing = None if app.state.token_verifier.ready else "no keys yet"
    if not app.state.revocations.known:
        missing = "the list of who was signed out cannot be read"
    return Check(ok=missing is None, detail=missing)


FOR_ANYBODY: Final[dict[str, Any]] = {"include_in_schema": False, "openapi_extra": {"security": []}}
"""Of routes that need no sign-in, and are not documented."""

Readiness = Callable[[], Awaitable[Mapping[str, Check]]]


def add_health_endpoints(app: FastAPI, readiness: Readiness, watch: LogWatch | None) -> None:
    """Let an application answer `/livez`, `/readyz` and `/metrics`.

    Args:
        app: the application; `app.state.is_ending` says that it was asked to end.
        readiness: checks whose failure makes `/readyz` answer 503.
        watch: see `create_app`.
    """

    @app.get("/livez", **FOR_ANYBODY)
    async def livez() -> Response:
        return Response('{"status":"ok"}', media_type="application/json")

    @app.get("/readyz", **FOR_ANYBODY)
    async def readyz() -> Response:
        checks = dict(await readiness())
        if watch is not None and watch.stopped:
            checks["log_stopped"] = Check(ok=False, detail=watch.stopped)
        if app.state.is_ending:
            checks["ending"] = Check(ok=False, detail="it was told to end")
        ready = all(check.ok for check in checks.values())
        degraded = any(check.degraded for check in checks.values())
        body = {
            "status": ("degraded" if degraded else "ok") if ready else "unavailable",
            "checks": {name: check.as_json() for name, check in checks.items()},
        }
        return Response(json.dumps(body), status_code=200 if ready else 503, media_type="application/json")

    @app.get("/metrics", **FOR_ANYBODY)
    async def tell_metrics() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
