"""Requests to send, and what sending them showed."""

from typing import Final

from pydantic import BaseModel

UNIQUE: Final = "{unique}"
"""Placeholder for twelve characters that are unique to a round; all requests of a round get the same."""
UNIQUE_LENGTH: Final = 12
PICK: Final = "{pick}"
"""Placeholder for a number of `PICK_LENGTH` digits below the job's `pick_from`."""
PICK_LENGTH: Final = 6
POSITION: Final = "{position}"
"""Placeholder for the `Fleetlog-Position` of the previous answer; in headers only: its length varies."""


class Request(BaseModel):
    """One request to 127.0.0.1, and the status of a good answer.

    Path, header values and body may contain placeholders; `Host` and `Content-Length` are added.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: str | None = None
    status: int = 200


class Job(BaseModel):
    """Rounds of requests on several connections at once.

    Attributes:
        port: server port on 127.0.0.1.
        requests: sent in this order in each round; the latencies of the last one are recorded.
        connections: number of concurrent rounds.
        seconds: duration of the measurement; extended until at least one answer has arrived.
        warm_up_seconds: duration of unmeasured load before it.
        pick_from: number of values of `PICK`.
        rounds: send exactly this many rounds over all connections, however long that takes.
    """

    port: int
    requests: list[Request]
    connections: int = 1
    seconds: float = 1.0
    warm_up_seconds: float = 0.0
    pick_from: int = 1
    rounds: int | None = None


class Sample(BaseModel):
    """Result of a job.

    Attributes:
        seconds: measured duration.
        latencies: of good answers to the last request of a round, in microseconds.
        errors: number of answers with an unexpected status.
        stale: number of answers that declared themselves possibly outdated.
    """

    seconds: float
    latencies: list[int] = []
    errors: int = 0
    stale: int = 0

    @property
    def rate(self) -> float:
        """Good answers per second."""
        return len(self.latencies) / self.seconds if self.seconds else 0.0
