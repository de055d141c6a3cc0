"""A model of the product's answers in plain Python, written from its documents and not from its code."""

import re
from dataclasses import dataclass, field
from typing import Any, Final

from ops.testing.product.exchanges import SHOW_TIMES, Answer, Chosen, Command, canonical


@dataclass
class Entity:
    """The state and history of one id."""

    details: dict[str, Any] | None = None
    """None: not registered."""
    created_at: str | None = None
    updated_at: str | None = None
    changes: list[tuple[int, str, str, frozenset[str]]] = field(default_factory=list)

    @property
    def version(self) -> int:
        return len(self.changes)


NOT_FOUND: Final = Answer(404, problem="not-found")


class FleetModel:
    """A fleet in memory, changed by sequential commands."""

    def __init__(self) -> None:
        self.entities: dict[tuple[str, str], Entity] = {}
        self._answers: dict[tuple[str, str, str | None], tuple[str, Answer]] = {}
        self.events: list[str] = []
        """The entity type of each expected event, in the order of the log."""

    def answer(self, command: Command, chosen: Chosen) -> Answer:
        """Execute a command and return the expected answer.

        Args:
            command: the command.
            chosen: the values that the server chose, from its answer.
        """
        if command.id is not None and not can_be_an_id(command.id):
            return NOT_FOUND
        if command.body and command.body.errors:
            return Answer(422, problem="validation-failed", errors=command.body.errors)
        if self.remembers(command):
            fingerprint, answer = self._answers[command.identity]
            same = fingerprint == command.fingerprint
            return answer if same else Answer(422, problem="idempotency-mismatch")
        answer = {"POST": self._post, "PUT": self._put, "DELETE": self._delete}[command.method](
            command, chosen
        )
        if command.key is not None:
            self._answers[command.identity] = (command.fingerprint, answer)
        return answer

    def remembers(self, command: Command) -> bool:
        """Return whether a command's idempotency key already has an outcome."""
        return command.key is not None and command.identity in self._answers

    def single(self, entity: str, entity_id: str) -> Answer:
        """Return the expected answer to a query for one record."""
        known = self.entities.get((entity, entity_id))
        if known is None or known.details is None:
            return NOT_FOUND
        return Answer(200, known.version, self._record(entity, entity_id))

    def details(self, entity: str, entity_id: str) -> dict[str, Any] | None:
        """Return a record without id and times, or None if it is not registered."""
        known = self.entities.get((entity, entity_id))
        return known.details if known else None

    def items(self, entity: str) -> dict[str, dict[str, Any]]:
        """Return the expected items of a list, by id."""
        items = {}
        for (of, entity_id), known in self.entities.items():
            if of == entity and known.details is not None:
                record = self._record(entity, entity_id)
                items[entity_id] = trailer_list_item(record) if entity == "trailer" else record
        return items

    def _post(self, command: Command, chosen: Chosen) -> Answer:
        assert command.body
        entity_id = command.body.sent.get("id") or chosen.id
        if entity_id is None:  # the server had to generate one, and did not
            return Answer(201)
        known = self.entities.setdefault((command.entity, entity_id), Entity())
        if known.details is not None:
            return Answer(409, problem="conflict", errors={"id": None})
        known.details = command.body.details
        known.created_at = known.updated_at = chosen.moment
        self._record_change(command, known, "registered", known.details)
        return Answer(201, known.version, self._record(command.entity, entity_id))

    def _put(self, command: Command, chosen: Chosen) -> Answer:
        assert command.id
        assert command.body
        known = self.entities.get((command.entity, command.id), Entity())
        before, after = known.details, command.body.details
        if before is None:
            return NOT_FOUND
        if refusal := self._precondition_failed(command, known):
            return refusal
        changed = [name for name in after if canonical(after[name]) != canonical(before[name])]
        if changed:
            known.details = {**before, **{name: after[name] for name in changed}}
            known.updated_at = chosen.moment
            self._record_change(command, known, "details_changed", changed)
        return Answer(200, known.version, self._record(command.entity, command.id))

    def _delete(self, command: Command, _: Chosen) -> Answer:
        assert command.id
        known = self.entities.get((command.entity, command.id), Entity())
        if known.version == 0:
            return NOT_FOUND
        if known.details is not None:
            if refusal := self._precondition_failed(command, known):
                return refusal
            known.details = None
            self._record_change(command, known, "removed", ())
        return Answer(204)

    @staticmethod
    def _precondition_failed(command: Command, known: Entity) -> Answer | None:
        if command.if_match is None:
            return None
        tags = [tag.strip().removeprefix("W/") for tag in command.if_match.split(",")]
        if "*" in tags or f'"{known.version}"' in tags:
            return None
        seen = [version for version in range(1, known.version) if f'"{version}"' in tags]
        since = max(seen, default=known.version)
        return Answer(412, known.version, problem="precondition-failed", changed_since=known.changes[since:])

    def _record_change(self, command: Command, known: Entity, kind: str, fields: Any) -> None:
        change = (known.version + 1, f"{command.entity}.{kind}", command.actor.sub, frozenset(fields))
        known.changes.append(change)
        self.events.append(command.entity)

    def _record(self, entity: str, entity_id: str) -> dict[str, Any]:
        known = self.entities[entity, entity_id]
        times = {"created_at": known.created_at, "updated_at": known.updated_at}
        return {"id": entity_id, **(known.details or {}), **(times if entity in SHOW_TIMES else {})}


def can_be_an_id(text: str) -> bool:
    """Return whether an entity may have this id."""
    return bool(re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{0,63}", text)) and text not in (
        "add",
        "edit",
        "import",
    )


def trailer_list_item(record: dict[str, Any]) -> dict[str, Any]:
    """Return a trailer with the further member names of the specification's list."""
    data = record["data"] or {}
    return {
        **record,
        "registrationNumber": record["trailer_registration_number"],
        "assignedDriver": record["owner_name"],
        "capacity": record["capacity_tons"],
        "currentLocation": data.get("currentLocation"),
        "lastMaintenance": data.get("lastMaintenance"),
    }
