"""What clients asked for and what they were told, in their order: to be held against the log afterwards."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Ok:
    """A command was acknowledged."""

    position: int
    version: int | None
    """None where the answer does not tell it: for a removal."""
    record: dict[str, Any] | None
    """None: removed."""


@dataclass(frozen=True)
class Fail:
    """A command was refused (4xx): it must not have written anything."""

    status: int


@dataclass
class Request:
    """One attempt at a command."""

    client: str
    command: str
    """Its idempotency key, or what would be: attempts of one command share it."""
    attempt: int
    outcome: Ok | Fail | None = None
    """None: nobody knows (no answer, a time-out, 503)."""

    @property
    def id(self) -> str:
        """What it sends as its request id, which the log keeps beside its own."""
        return f"{self.command}:{self.attempt}"


@dataclass(frozen=True)
class Read:
    """What a client was shown of an entity, by an answer that does not say that it may be old."""

    entity: str
    entity_id: str
    version: int | None
    """None: there is no such entity (404)."""
    record: dict[str, Any] | None = None


@dataclass
class History:
    """Everything that some clients did."""

    requests: list[Request] = field(default_factory=list)
    seen: defaultdict[str, list[Ok | Read]] = field(default_factory=lambda: defaultdict(list))
    """By client: what it was told, in order. A client keeps its cookies and does one thing at a time."""
    acknowledged: int = 0
    refused: int = 0
    stale_reads: int = 0
    """Answers that said that they may be old."""
    slowest_seconds: float = 0.0
    """The longest time until an answer of whatever kind."""
    answers: Counter[str] = field(default_factory=Counter)
    """How many answers had which status; `503 no retry`: without Retry-After, `none`: there was no answer."""

    def invoke(self, client: str, command: str, attempt: int = 1) -> Request:
        """Note that a command is about to be sent."""
        request = Request(client, command, attempt)
        self.requests.append(request)
        return request

    def complete(self, request: Request, outcome: Ok | Fail) -> None:
        """Note what was answered; a request of which nothing is noted remains unknown."""
        request.outcome = outcome
        if isinstance(outcome, Ok):
            self.acknowledged += 1
            self.seen[request.client].append(outcome)
        else:
            self.refused += 1

    def saw(self, client: str, read: Read) -> None:
        """Note what a client read."""
        self.seen[client].append(read)

    @property
    def unknown(self) -> int:
        """How many requests nobody knows the outcome of."""
        return sum(request.outcome is None for request in self.requests)
