"""What happens to one thing of the fleet, from its registration on: the commands, in their order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from ops.base.entities import EntityType
from ops.launcher.demo.randomness import Draw

Body = dict[str, Any]
Method = Literal["POST", "PUT", "DELETE"]

DISPATCHER: Final = "dev|asha"
FLEET_MANAGER: Final = "dev|rohan"
BACK_OFFICE: Final = "dev|farah"
ACTORS: Final = (DISPATCHER, FLEET_MANAGER, BACK_OFFICE)
"""Subjects of the three users of the development identity provider who run the demonstration fleet."""

_OWN_WORK: Final = 0.8
"""Share of the changes that are made by the one whose work they are; the rest by whoever was there."""


@dataclass(frozen=True)
class Command:
    """One request.

    Attributes:
        kind: what it is counted as.
        method: its HTTP method.
        actor: subject of the user who sends it.
        body: its JSON; None for a removal.
    """

    kind: str
    method: Method
    actor: str
    body: Body | None = None


@dataclass(frozen=True, eq=False)
class Story:
    """All commands about one thing; the first registers it.

    Attributes:
        entity_type: what it is.
        name: tells it from all others of the demonstration fleet, for ever.
        commands: in the order in which they must be sent.
    """

    entity_type: EntityType
    name: str
    commands: Sequence[Command]


@dataclass(frozen=True)
class Edit:
    """One way in which a thing changes.

    Attributes:
        actor: whose work it usually is.
        weight: how often it happens, compared with the others.
        change: from the record as it is to the fields that become different; none where it cannot happen.
    """

    actor: str
    weight: float
    change: Callable[[Body], Body]


class Teller:
    """Tells the stories of one entity type."""

    def __init__(
        self,
        draw: Draw,
        entity_type: EntityType,
        *,
        registrar: str,
        edits: Sequence[Edit],
        edit_counts: Mapping[int, float],
    ) -> None:
        """Prepare to tell.

        Args:
            draw: where chance comes from.
            entity_type: what the stories are about.
            registrar: who registers and removes.
            edits: how things change.
            edit_counts: how many times, with weights.
        """
        self._draw = draw
        self._entity_type = entity_type
        self._registrar = registrar
        self._edits = {edit: edit.weight for edit in edits}
        self._edit_counts = edit_counts

    def tell(
        self,
        name: str,
        body: Body,
        *,
        certain: Iterable[Edit] = (),
        leaves: bool = False,
        returns: bool = False,
    ) -> Story:
        """Tell the story of one thing.

        Args:
            name: the story's name.
            body: the record it is registered with.
            certain: edits that happen before those that chance brings.
            leaves: whether it is removed in the end.
            returns: whether it is removed, registered again with something different, and goes on.
        """
        commands = [Command(f"{self._entity_type.collection} registered", "POST", self._registrar, body)]
        for edit in certain:
            body = body | edit.change(body)
            commands.append(self._edited(edit, body))
        if returns:
            _, body = self._edit_by_chance(body)
            commands += [
                Command("removed", "DELETE", self._registrar),
                Command("registered again", "POST", self._registrar, body),
            ]
        for _ in range(self._draw.weighted(self._edit_counts)):
            edit, body = self._edit_by_chance(body)
            commands.append(self._edited(edit, body))
        if leaves:
            commands.append(Command("removed", "DELETE", self._registrar))
        return Story(self._entity_type, name, commands)

    def _edit_by_chance(self, body: Body) -> tuple[Edit, Body]:
        while True:
            edit = self._draw.weighted(self._edits)
            # An edit that changes nothing would leave no trace in the log by which a second run knows it.
            if (changed := body | edit.change(body)) != body:
                return edit, changed

    def _edited(self, edit: Edit, body: Body) -> Command:
        actor = edit.actor if self._draw.happens(_OWN_WORK) else self._draw.one_of(ACTORS)
        return Command("edits", "PUT", actor, body)
