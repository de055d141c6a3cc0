"""What of an event the tree covers: every stored column, in a form that anybody can make again."""

import base64
import json
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from ops.base.tamper_evidence.merkle_tree import leaf_hash

# json.dumps would make an encoder for each event.
_encode: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


class LogRow(NamedTuple):
    """A row of the event store; the fields are its columns, in their order."""

    position: int
    originator_id: str
    originator_version: int
    topic: str
    state: bytes
    moment: datetime
    command_id: UUID | None

    def told(self) -> dict[str, Any]:
        """Return it as JSON; see `LogRow.read`."""
        return {
            "position": self.position,
            "originator_id": self.originator_id,
            "originator_version": self.originator_version,
            "topic": self.topic,
            "state": base64.b64encode(self.state).decode(),
            "moment": self.moment.astimezone(UTC).isoformat(timespec="microseconds"),
            "command_id": None if self.command_id is None else str(self.command_id),
        }

    @classmethod
    def read(cls, told: dict[str, Any]) -> "LogRow":
        """Read what `told` returns.

        Raises:
            ValueError, KeyError, TypeError: it is something else.
        """
        command_id = told["command_id"]
        return cls(
            int(told["position"]),
            str(told["originator_id"]),
            int(told["originator_version"]),
            str(told["topic"]),
            base64.b64decode(told["state"], validate=True),
            datetime.fromisoformat(told["moment"]),
            None if command_id is None else UUID(command_id),
        )

    def leaf(self) -> bytes:
        """Return the leaf."""
        return leaf_of(self.told())

    def hash(self) -> bytes:
        """Return the leaf's hash."""
        return leaf_hash(self.leaf())


def leaf_of(told: dict[str, Any]) -> bytes:
    """Return the leaf of what `LogRow.told` returns: compact JSON with sorted names, ASCII only."""
    return _encode(told).encode("ascii")
