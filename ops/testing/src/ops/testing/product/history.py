"""The requests of clients and their answers, in order, for a later comparison with the log."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Ok:
    """An acknowledged command."""

    position: int
    version: int | None
    """None for a removal, whose answer has no version."""
    record: dict[str, Any] | None
    """None: removed."""


@dataclass(frozen=True)
class Fail:
    """A refused command (4xx), which must not have written an event."""

    status: int


@dataclass
class Request:
    """One attempt at a command."""

    client: str
    command: str
    """Its idempotency key, or a name in place of one, shared by all attempts."""
    attempt: int
    outcome: Ok | Fail | None = None
    """None: unknown (no answer, a time-out, 503)."""

    @property
    def id(self) -> str:
        """The request id that the client sends, which the log stores."""
        return f"{self.command}:{self.attempt}"


@dataclass(frozen=True)
class Read:
    """An entity as shown to a client by an answer that is not marked as stale."""

    entity: str
    entity_id: str
    version: int | None
    """None: not found (404)."""
    record: dict[str, Any] | None = None


@dataclass
class OperationHistory:
    requests: list[Request] = field(default_factory=list)
    seen: defaultdict[str, list[Ok | Read]] = field(default_factory=lambda: defaultdict(list))
    """The outcomes of each client in order. A client keeps its cookies and sends one request at a time."""
    acknowledged: int = 0
    refused: int = 0
    stale_reads: int = 0
    """The number of answers marked as stale."""
    slowest_seconds: float = 0.0
    """The longest time until any answer."""
    answers: Counter[str] = field(default_factory=Counter)
    """The number of answers by status; `503 no retry`: without Retry-After, `none`: no answer."""

    def invoke(self, client: str, command: str, attempt: int = 1) -> Request:
        """Record that a command is about to be sent."""
        request = Request(client, command, attempt)
        self.requests.append(request)
        return request

    def complete(self, request: Request, outcome: Ok | Fail) -> None:
        """Record the outcome of a request; without it the outcome stays unknown."""
        request.outcome = outcome
        if isinstance(outcome, Ok):
            self.acknowledged += 1
            self.seen[request.client].append(outcome)
        else:
            self.refused += 1

    def saw(self, client: str, read: Read) -> None:
        self.seen[client].append(read)

    @property
    def unknown(self) -> int:
        """The number of requests with an unknown outcome."""
        return sum(request.outcome is None for request in self.requests)
