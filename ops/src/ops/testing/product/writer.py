"""Writers as good clients are: they send a command again, with its key, until it is acknowledged."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

import httpx

from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS, Actor, unwrap
from ops.testing.product.fields import ENTITIES
from ops.testing.stack import Stack

_PATIENCE_SECONDS: Final = 60.0
_ATTEMPT_SECONDS: Final = 10.0
_PAUSE_SECONDS: Final = 0.05
_PASSING: Final = (502, 503, 504)
_CHANGED_FIELD: Final = {
    "driver": "name",
    "trailer": "owner_name",
    "horse": "description",
    "location": "name",
}


@dataclass(frozen=True)
class Acknowledged:
    """A command that the product said it carried out."""

    key: str
    """What its idempotency key is, or would be. An attempt's request id is `<key>:<its number>`."""
    position: int
    version: int | None
    record: dict[str, Any] | None
    """What was answered; None for a removal."""
    attempts: int
    """How many it took until it was acknowledged."""


class Writer:
    """One client, which keeps cookies, and changes what nobody else changes and one thing that all do."""

    def __init__(
        self, stack: Stack, actor: Actor, *, name: str, shared: str | None = None, keyed: bool = True
    ) -> None:
        """Prepare a writer.

        Args:
            stack: the running product.
            actor: who it signs in as.
            name: a prefix of ids and keys that nobody else uses.
            shared: address of a location that all writers change.
            keyed: whether it sends idempotency keys, without which sending again is not safe.
        """
        self.acknowledged: list[Acknowledged] = []
        self.stale_reads = 0
        self._name = name
        self._shared = shared
        self._keyed = keyed
        self._numbers = itertools.count(1)
        self._http = httpx.AsyncClient(
            base_url=stack.address,
            headers={"Authorization": f"Bearer {actor.token}"},
            timeout=_ATTEMPT_SECONDS,
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        """Open its connections, as they are needed."""
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close its connections."""
        await self._http.__aexit__(kind, error, trace)

    async def write_until(self, told_to_stop: asyncio.Event) -> None:
        """Let entities of all types come, change and go; ends between two commands.

        Raises:
            AssertionError: an answer is not what it must be.
            TimeoutError: a command was not acknowledged for a minute.
        """
        for entity in itertools.cycle(ENTITIES):
            async for _ in self._live(entity):
                if told_to_stop.is_set():
                    return

    async def register(self, entity: str) -> str:
        """Register an entity and return its address."""
        given = {"id": f"{self._name}-{next(self._numbers)}"} if entity in ("driver", "horse") else {}
        body = usual_body(entity).sending(**given).sent
        answer = await self.send("POST", PATHS[entity], entity, expected=201, json=body)
        return str(answer.headers["location"])

    async def see_a_write(self, address: str) -> None:
        """Change a location and wait until that can be read.

        Raises:
            TimeoutError: it cannot, after a minute.
        """
        written = await self.send("PUT", address, "location", expected=200, json=self._changed("location"))
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while not _is_as_new(await self._attempt("GET", address), written):
                pass

    async def _live(self, entity: str) -> AsyncIterator[None]:
        """One entity's life; each version is one more than the one before, or a command was doubled."""
        address = await self.register(entity)
        yield
        for version, condition in ((2, {"If-Match": '"1"'}), (3, {})):
            body = self._changed(entity)
            answer = await self.send("PUT", address, entity, expected=200, json=body, headers=condition)
            assert answer.headers["etag"] == f'"{version}"'
            await self._read_back(address, answer)
            yield
        if self._shared is not None:
            await self.send("PUT", self._shared, "location", expected=200, json=self._changed("location"))
            yield
        await self.send("DELETE", address, entity, expected=204)
        await self._read_back(address, None)
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
        """Send a command, again and again, until it is acknowledged.

        Args:
            method: its method.
            path: its address.
            entity: the entity type that it is about.
            expected: the status that must acknowledge it.
            headers: further headers.
            more: for httpx.
        """
        key = f"{self._name}-{next(self._numbers)}"
        headers = {**({"Idempotency-Key": key} if self._keyed else {}), **(headers or {})}
        attempts, answer = 0, None
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while answer is None:
                attempts += 1
                headers["X-Request-Id"] = f"{key}:{attempts}"
                answer = await self._attempt(method, path, headers=headers, **more)
        assert answer.status_code == expected, f"{method} {path}: {answer.status_code} {answer.text}"
        etag = answer.headers.get("etag")
        self.acknowledged.append(
            Acknowledged(
                key=key,
                position=int(answer.headers["fleetlog-position"].rpartition(":")[2]),
                version=int(etag.strip('"')) if etag else None,
                record=unwrap(entity, answer.json()) if answer.content else None,
                attempts=attempts,
            )
        )
        return answer

    async def _read_back(self, address: str, written: httpx.Response | None) -> None:
        """Read what was just written: only an answer that says it may be old may be old."""
        answer = await self._attempt("GET", address)
        if answer is None:
            return
        if "fleetlog-consistency" in answer.headers:
            self.stale_reads += 1
        elif written is None:
            assert answer.status_code == 404
        else:
            assert (answer.status_code, answer.headers["etag"]) == (200, written.headers["etag"])
            assert answer.json() == written.json()

    async def _attempt(self, method: str, path: str, **more: Any) -> httpx.Response | None:
        """Send one request; None, after a pause, when the product is not there now."""
        try:
            answer = await self._http.request(method, path, **more)
            if answer.status_code not in _PASSING:
                return answer
        except httpx.TransportError:
            pass  # as good as a 503
        await asyncio.sleep(_PAUSE_SECONDS)
        return None


def _is_as_new(read: httpx.Response | None, written: httpx.Response) -> bool:
    return (
        read is not None
        and read.status_code == 200
        and int(read.headers["etag"].strip('"')) >= int(written.headers["etag"].strip('"'))
    )
