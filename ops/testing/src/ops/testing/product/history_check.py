"""A recorded history held against the log: what was lost, doubled, written although refused, or went back."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ops.testing.product.history import Fail, History, Ok, Read, Request
from ops.testing.product.json_values import canonical
from ops.testing.product.log_fold import Fold


@dataclass(frozen=True)
class Logged:
    """An event of the log, as far as it matters here."""

    position: int
    entity: str
    entity_id: str
    version: int
    client_request_id: str | None
    """What its writer called the request."""
    state: dict[str, Any] | None
    """What the entity is after it; None: removed."""
    is_forgotten: bool = False
    """Whether nobody can tell any more what it is about, nor whose request it was."""

    @property
    def command(self) -> str:
        """Which command made it."""
        return (self.client_request_id or "").rpartition(":")[0]

    @property
    def attempt(self) -> int:
        """Which attempt at the command made it."""
        return int((self.client_request_id or "").rpartition(":")[2])


def logged_events(fold: Fold) -> list[Logged]:
    """Return a whole log's events."""
    lost = {"client_request_id": None, "state": None, "is_forgotten": True}
    revisions = [revision if "state" in revision else {**revision, **lost} for revision in fold.revisions]
    names = Logged.__dataclass_fields__
    return [Logged(**{name: one[name] for name in names if name in one}) for one in revisions]


def assert_consistent(history: History, fold: Fold, *, before: int) -> int:
    """Check a history against the log.

    Args:
        history: what the only clients did since `before`.
        fold: the whole log.
        before: the log's head when they began.

    Returns:
        How many commands were carried out by an earlier attempt than the one that was acknowledged.
    """
    log = logged_events(fold)
    found = list(violations(history, log, before=before))
    assert not found, f"{len(found)} violations, such as {found[:3]}"
    made_by = {event.command: event.attempt for event in log[before:] if not event.is_forgotten}
    answered = {request.command: request for request in history.requests if isinstance(request.outcome, Ok)}
    return sum(made_by[command] < request.attempt for command, request in answered.items())


def violations(history: History, log: Sequence[Logged], *, before: int = 0) -> Iterator[str]:
    """Yield a sentence for everything in a history that cannot be, given the log.

    Args:
        history: what the only clients did since `before`.
        log: all events, by position.
        before: the log's head when they began.
    """
    made = defaultdict(list)
    for event in log[before:]:
        if not event.is_forgotten:
            made[event.command].append(event)
    requests = defaultdict(list)
    for request in history.requests:
        requests[request.command].append(request)
    for command in made.keys() - requests.keys():
        yield f"{command}: written, but nobody asked for it"
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
            yield f"{command}: written by attempt {event.attempt}, which nobody made"
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
        yield f"{command}: answered something else than was written"


def _of_client(
    client: str,
    seen: Sequence[Ok | Read],
    log: Sequence[Logged],
    states: dict[tuple[str, str], list[dict[str, Any] | None]],
) -> Iterator[str]:
    """What one client is told of an entity never goes back, and is what the entity was at that version."""
    reached = defaultdict[tuple[str, str], int](int)
    for reported in seen:
        if isinstance(reported, Ok):
            if reported.position > len(log):
                continue  # lost, which is told above
            event = log[reported.position - 1]
            entity, version = (event.entity, event.entity_id), event.version
        else:
            entity = reported.entity, reported.entity_id
            of_entity = states.get(entity, [])
            if reported.version is None:
                absent = [0, *(n for n, state in enumerate(of_entity, start=1) if state is None)]
                version = min((n for n in absent if n >= reached[entity]), default=-1)
            elif reported.version > len(of_entity):
                yield f"{client}: read version {reported.version} of {entity}, which there is not"
                continue
            else:
                version = reported.version
                if canonical(of_entity[version - 1]) != canonical(reported.record):
                    yield f"{client}: read version {version} of {entity} as it never was"
        if version < reached[entity]:
            yield f"{client}: was answered version {reached[entity]} of {entity}, and then {reported}"
        reached[entity] = max(reached[entity], version)
