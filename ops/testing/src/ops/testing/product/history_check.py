"""Comparison of a recorded history with the log: lost, duplicate, refused yet written, or read backwards."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ops.testing.product.exchanges import canonical
from ops.testing.product.history import Fail, Ok, OperationHistory, Read, Request
from ops.testing.product.log_fold import Fold


@dataclass(frozen=True)
class Logged:
    """The members of an event that the comparison needs."""

    position: int
    entity: str
    entity_id: str
    version: int
    client_request_id: str | None
    """The request id that the client sent."""
    state: dict[str, Any] | None
    """The entity after the event; None: removed."""
    is_erased: bool = False
    """Whether the event cannot be decrypted any more, including its request id."""

    @property
    def command(self) -> str:
        return (self.client_request_id or "").rpartition(":")[0]

    @property
    def attempt(self) -> int:
        return int((self.client_request_id or "").rpartition(":")[2])


def logged_events(fold: Fold) -> list[Logged]:
    """Return the events of a complete log."""
    lost = {"client_request_id": None, "state": None, "is_erased": True}
    revisions = [revision if "state" in revision else {**revision, **lost} for revision in fold.revisions]
    names = Logged.__dataclass_fields__
    return [Logged(**{name: one[name] for name in names if name in one}) for one in revisions]


def assert_consistent(history: OperationHistory, fold: Fold, *, before: int) -> int:
    """Compare a history with the log, and return the number of commands that an earlier attempt executed.

    Args:
        history: of all clients since `before`.
        fold: of the complete log.
        before: the log's head at the start of the history.
    """
    log = logged_events(fold)
    found = list(violations(history, log, before=before))
    assert not found, f"{len(found)} violations, such as {found[:3]}"
    made_by = {event.command: event.attempt for event in log[before:] if not event.is_erased}
    answered = {request.command: request for request in history.requests if isinstance(request.outcome, Ok)}
    return sum(made_by[command] < request.attempt for command, request in answered.items())


def violations(history: OperationHistory, log: Sequence[Logged], *, before: int = 0) -> Iterator[str]:
    """Yield a sentence for each violation in a history of all clients since the position `before`."""
    made = defaultdict(list)
    for event in log[before:]:
        if not event.is_erased:
            made[event.command].append(event)
    requests = defaultdict(list)
    for request in history.requests:
        requests[request.command].append(request)
    for command in made.keys() - requests.keys():
        yield f"{command}: written without a request"
    for command, attempts in requests.items():
        yield from _of_command(command, attempts, made.get(command, []))
    states = defaultdict[tuple[str, str], list[dict[str, Any] | None]](list)
    for event in log:
        states[event.entity, event.entity_id].append(event.state)
    for client, seen in history.seen.items():
        yield from _of_client(client, seen, log, states)


def _of_command(command: str, attempts: Sequence[Request], events: Sequence[Logged]) -> Iterator[str]:
    if len(events) > 1:
        yield f"{command}: doubled, at {[event.position for event in events]}"
    outcomes = [attempt.outcome for attempt in attempts]
    if not events and any(isinstance(outcome, Ok) for outcome in outcomes):
        yield f"{command}: acknowledged and lost"
    if events and all(isinstance(outcome, Fail) for outcome in outcomes):
        yield f"{command}: refused, yet written"
    sent = {attempt.attempt: attempt.outcome for attempt in attempts}
    for event in events:
        if event.attempt not in sent:
            yield f"{command}: written by attempt {event.attempt}, which was not sent"
        if isinstance(sent.get(event.attempt), Fail):
            yield f"{command}: attempt {event.attempt} was refused, yet written"
        for outcome in outcomes:
            if isinstance(outcome, Ok):
                yield from _of_answer(command, outcome, event)


def _of_answer(command: str, reported: Ok, event: Logged) -> Iterator[str]:
    if reported.position != event.position:
        yield f"{command}: answered position {reported.position}, written at {event.position}"
    if reported.version not in (None, event.version):
        yield f"{command}: answered version {reported.version}, written as {event.version}"
    if canonical(reported.record) != canonical(event.state):
        yield f"{command}: the answered record differs from the log"


def _of_client(
    client: str,
    seen: Sequence[Ok | Read],
    log: Sequence[Logged],
    states: dict[tuple[str, str], list[dict[str, Any] | None]],
) -> Iterator[str]:
    """Yield the violations of one client: versions must not decrease, and each must be that of the log."""
    reached = defaultdict[tuple[str, str], int](int)
    for reported in seen:
        if isinstance(reported, Ok):
            if reported.position > len(log):
                continue  # lost, which is reported above
            event = log[reported.position - 1]
            entity, version = (event.entity, event.entity_id), event.version
        else:
            entity = reported.entity, reported.entity_id
            of_entity = states.get(entity, [])
            if reported.version is None:
                absent = [0, *(n for n, state in enumerate(of_entity, start=1) if state is None)]
                version = min((n for n in absent if n >= reached[entity]), default=-1)
            elif reported.version > len(of_entity):
                yield f"{client}: read version {reported.version} of {entity}, which does not exist"
                continue
            else:
                version = reported.version
                if canonical(of_entity[version - 1]) != canonical(reported.record):
                    yield f"{client}: read version {version} of {entity} which differs from the log"
        if version < reached[entity]:
            yield f"{client}: version {reached[entity]} of {entity} was followed by {reported}"
        reached[entity] = max(reached[entity], version)
