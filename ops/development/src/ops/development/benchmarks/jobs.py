"""What the load generator is told, and what it answers."""

from typing import Final

from pydantic import BaseModel

UNIQUE: Final = "{unique}"
"""Stands for twelve characters that no other round of a job has; all steps of a round have the same."""
UNIQUE_LENGTH: Final = 12
PICK: Final = "{pick}"
"""Stands for a number of `PICK_LENGTH` digits, of those that a job may pick from."""
PICK_LENGTH: Final = 6
POSITION: Final = "{position}"
"""Stands for the `Fleetlog-Position` of the answer before; only in headers, for its length varies."""


class Step(BaseModel):
    """One request, and what its answer must be.

    Attributes:
        port: of the server, on 127.0.0.1.
        method: HTTP method.
        path: its target; may hold placeholders, as may the headers' values and the body.
        headers: all but `Host` and `Content-Length`.
        body: None: the request has none.
        status: of a good answer; any other counts as an error.
    """

    port: int
    method: str
    path: str
    headers: dict[str, str]
    body: str | None = None
    status: int = 200


class Job(BaseModel):
    """Rounds of steps, one after another, on several connections at once.

    Attributes:
        steps: of each round.
        connections: how many rounds go on at once.
        seconds: how long to measure; longer, where nothing has been answered by then.
        warm_up_seconds: how long to work before that.
        pick_from: how many numbers `PICK` stands for.
        rounds_per_second: of all connections together; None: each begins its next round at once.
    """

    steps: list[Step]
    connections: int
    seconds: float
    warm_up_seconds: float
    pick_from: int = 1
    rounds_per_second: float | None = None


class Tally(BaseModel):
    """What became of one step's requests whose answers came while it was measured.

    Attributes:
        latencies: of the good answers, in microseconds.
        errors: answers with another status than the step's.
        stale: answers that said that they may be old.
    """

    latencies: list[int] = []
    errors: int = 0
    stale: int = 0


class Result(BaseModel):
    """What became of a job.

    Attributes:
        seconds: how long was measured.
        tallies: one for each step.
    """

    seconds: float
    tallies: list[Tally]
