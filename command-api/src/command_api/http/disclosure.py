"""What answers to commands show beyond what the caller has sent: that needs `fleet:read`, and is recorded."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fastapi import Request

from command_api.commands.handler import CommandResult, Refused
from command_api.domain.definition import Definition
from command_api.domain.events import Event
from command_api.event_store.records import RecordedEvent
from ops.base.access_log.showing import WHO, Showing, record_view
from ops.base.http.problems import Problem
from ops.base.permissions import Permission
from ops.base.sign_in import VerifiedToken


class Disclosure(NamedTuple):
    """Decides what the answer to a request shows of a record, and records the personal data in it."""

    request: Request
    token: VerifiedToken
    definition: Definition

    def allows_record(self, result: CommandResult, sent: Mapping[str, Any], *, masked: bool) -> bool:
        """Return whether the answer may show the record; if it may, record that it does.

        Values that the caller has sent are not recorded if this request has appended an event with them.

        Args:
            result: the command's result.
            sent: the details that the caller has sent.
            masked: whether personal data is masked.
        """
        state = result.aggregate.state
        if state is None:
            return True
        definition = self.definition
        visible = definition.harmless if masked else definition.fields
        shown = {name for name in visible if name not in sent or sent[name] != state.details.get(name)}
        if shown and not self.token.may(Permission.FLEET_READ):
            return False
        if not result.is_appended:
            shown.update(visible)
        return self.record(result.aggregate.id, shown & definition.personal)

    def changes_of(self, refused: Refused, *, masked: bool) -> Sequence[tuple[Event, RecordedEvent]]:
        """Return the others' changes that the answer to a refused command may report."""
        changes = refused.changes
        if not self.token.may(Permission.FLEET_READ):
            return ()
        has_names = not masked and any(event.metadata.actor.name for event, _ in changes)
        return changes if not has_names or self.record(refused.history.aggregate.id, [WHO]) else ()

    def record(self, entity_id: str, fields: Iterable[str]) -> bool:
        """Record that the answer shows fields of a record; return False if that is impossible now."""
        names = tuple(sorted(fields))
        if names:
            route = self.request.scope["route"].path_format
            showing = Showing(route, "change", self.definition.name, names)
            try:
                record_view(self.request, self.token, showing, of=entity_id)
            except Problem:
                return False
        return True
