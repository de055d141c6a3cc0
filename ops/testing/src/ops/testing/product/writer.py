"""Clients that retry a command with its idempotency key until they know its outcome."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator
from typing import Any, Final, Self

import httpx

from ops.testing.product.bodies import usual_body
from ops.testing.product.client import version_of
from ops.testing.product.exchanges import PATHS, Actor, unwrap
from ops.testing.product.fields import ENTITIES
from ops.testing.product.history import Fail, Ok, OperationHistory, Read
from ops.testing.stack import RunningProduct

_PATIENCE_SECONDS: Final = 60.0
_PAUSE_SECONDS: Final = 0.1
_PASSING: Final = (502, 503, 504)
_CHANGED_FIELD: Final = {
    "driver": "name",
    "trailer": "owner_name",
    "horse": "description",
    "location": "name",
}


class Writer:
    """One client, which keeps cookies and changes records of its own and a location shared by all writers."""

    def __init__(
        self,
        product: RunningProduct,
        actor: Actor,
        history: OperationHistory | None = None,
        *,
        name: str,
        shared: str | None = None,
        keyed: bool = True,
        attempt_seconds: float = 10.0,
    ) -> None:
        """Prepare a writer.

        Args:
            product: the running product.
            actor: its user.
            history: records its requests and answers; None: a new one.
            name: a unique prefix of its ids and keys.
            shared: address of the shared location.
            keyed: whether it sends idempotency keys, without which a retry is not safe.
            attempt_seconds: how long it waits for an answer.
        """
        self._product = product
        self._history = history or OperationHistory()
        self._name = name
        self._shared = shared
        self._keyed = keyed
        self._numbers = itertools.count(1)
        self._http = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {actor.token}"}, timeout=attempt_seconds, trust_env=False
        )

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def write_until(self, stop_requested: asyncio.Event) -> None:
        """Register, change and remove entities of all types until the event is set.

        Raises:
            AssertionError: an answer is wrong.
            TimeoutError: the outcome of a command stays unknown for a minute.
        """
        for entity in itertools.cycle(ENTITIES):
            async for _ in self._live(entity):
                if stop_requested.is_set():
                    return

    async def register(self, entity: str) -> str:
        """Register an entity and return its address."""
        given = {"id": f"{self._name}-{next(self._numbers)}"} if entity in ("driver", "horse") else {}
        body = usual_body(entity).sending(**given).sent
        answer = await self.send("POST", PATHS[entity], entity, expected=201, json=body)
        return str(answer.headers["location"])

    async def change(self, entity: str, address: str, *, known_version: int | None) -> None:
        """Change an entity, with `If-Match` if a version is known."""
        condition = {} if known_version is None else {"If-Match": f'"{known_version}"'}
        body = self._changed(entity)
        await self.send("PUT", address, entity, expected=200, json=body, headers=condition)

    async def see_a_write(self, address: str) -> None:
        """Change a location and wait until the change can be read.

        Raises:
            TimeoutError: it cannot be read after a minute.
        """
        body = self._changed("location")
        written = await self.send("PUT", address, "location", expected=200, json=body)
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while not _is_as_new(await self._attempt("GET", address), written):
                pass

    async def _live(self, entity: str) -> AsyncIterator[None]:
        """Send the commands of one entity, whose versions stay known unless a command is executed twice."""
        address = await self.register(entity)
        yield
        for known_version in (1, None):
            await self.change(entity, address, known_version=known_version)
            await self._read_back(entity, address)
            yield
        late = {"json": self._changed(entity), "headers": {"If-Match": '"2"'}}
        await self.send("PUT", address, entity, expected=412, **late)
        yield
        if self._shared is not None:
            await self.change("location", self._shared, known_version=None)
            await self._read_back("location", self._shared)
            yield
        await self.send("DELETE", address, entity, expected=204)
        await self._read_back(entity, address)
        yield

    def _changed(self, entity: str) -> dict[str, Any]:
        return usual_body(entity, **{_CHANGED_FIELD[entity]: f"{self._name} {next(self._numbers)}"}).sent

    async def send(
        self,
        method: str,
        path: str,
        entity: str,
        *,
        expected: int,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> httpx.Response:
        """Send a command until its outcome is known, which must have the expected status."""
        command = f"{self._name}-{next(self._numbers)}"
        headers = {**({"Idempotency-Key": command} if self._keyed else {}), **(headers or {})}
        attempt, answer = 0, None
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while answer is None:
                attempt += 1
                request = self._history.invoke(self._name, command, attempt)
                headers["X-Request-Id"] = request.id
                answer = await self._attempt(method, path, headers=headers, **more)
        self._history.complete(request, outcome_of(entity, answer))
        assert answer.status_code == expected, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    async def _read_back(self, entity: str, address: str) -> None:
        """Read an entity after a write, if the product answers."""
        answer = await self._attempt("GET", address)
        if answer is None:
            return
        if "fleetlog-consistency" in answer.headers:
            self._history.stale_reads += 1
            return
        assert answer.status_code in (200, 404), f"GET {address}: {answer.status_code} {answer.text}"
        exists = answer.status_code == 200
        read = Read(
            entity,
            address.rpartition("/")[2],
            version_of(answer) if exists else None,
            unwrap(entity, answer.json()) if exists else None,
        )
        self._history.saw(self._name, read)

    async def _attempt(self, method: str, path: str, **more: Any) -> httpx.Response | None:
        """Send one request; None, after a pause, if the product does not answer."""
        product = self._product
        address = product.query_address if method == "GET" else product.command_address
        began, seen = time.monotonic(), "none"
        try:
            answer = await self._http.request(method, address + path, **more)
            seen = str(answer.status_code)
            if answer.status_code not in _PASSING:
                return answer
            if "retry-after" not in answer.headers:
                seen += " no retry"
        except httpx.TransportError:
            pass  # equivalent to 503
        finally:
            took = time.monotonic() - began
            self._history.slowest_seconds = max(self._history.slowest_seconds, took)
            self._history.answers[seen] += 1
        await asyncio.sleep(_PAUSE_SECONDS)
        return None


def outcome_of(entity: str, answer: httpx.Response) -> Ok | Fail:
    """Return the outcome in the answer to a command."""
    if answer.status_code >= 400:
        return Fail(answer.status_code)
    reached = answer.headers.get("fleetlog-position")
    assert reached, f"{answer.status_code} without a position: {answer.headers} {answer.text[:200]}"
    return Ok(
        position=int(reached.rpartition(":")[2]),
        version=version_of(answer) if "etag" in answer.headers else None,
        record=unwrap(entity, answer.json()) if answer.content else None,
    )


def _is_as_new(read: httpx.Response | None, written: httpx.Response) -> bool:
    return read is not None and read.status_code == 200 and version_of(read) >= version_of(written)
