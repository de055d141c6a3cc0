"""What is in the box of a revision."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from pydantic_core import from_json

from ops.base.encryption.keys import Key
from ops.base.encryption.rows import decrypt_texts, encrypt_texts, row_context
from ops.base.records.entities import NOT_DETAILS
from ops.base.records.json_values import json_bytes
from projections.tables import REVISIONS


class Circumstances(NamedTuple):
    """What else is told of a change that may be about a person; the fields are columns of `revisions`."""

    actor_name: str | None
    request_id: str | None
    client_request_id: str | None
    reason: str | None


class RevisionTexts(NamedTuple):
    """JSON, in the order in which it is sealed."""

    record: bytes
    """The record after the change, first in any table's payload; empty where there is none."""
    own_changes: bytes
    """Empty where they follow from the record: it was registered, and so each detail set that is not null."""
    circumstances: bytes
    """Of `Circumstances`, in the order of its fields."""

    @property
    def state(self) -> bytes | None:
        """The record after the change; None where there is none."""
        return self.record or None

    @property
    def changes(self) -> bytes:
        """What the event set."""
        if self.own_changes:
            return self.own_changes
        details = {k: v for k, v in from_json(self.state or b"{}").items() if k not in NOT_DETAILS}
        return registered_changes(details)

    def sealed(self, key: Key, stream: str, version: int) -> bytes:
        """Return the box.

        Args:
            key: of the record that they are about.
            stream: of which record.
            version: its version after the change.
        """
        return encrypt_texts(key, row_context(REVISIONS.sealed_as, stream, version), self)

    @classmethod
    def opened(cls, key: Key, stream: str, version: int, box: bytes) -> Self:
        """Return what is in a revision's box.

        Raises:
            DecryptionError: it was changed, or is another row's.
        """
        return cls(*decrypt_texts(key, row_context(REVISIONS.sealed_as, stream, version), box))


def registered_changes(details: Mapping[str, Any]) -> bytes:
    """Return as JSON which fields a registration set: all details that are not null.

    Args:
        details: as the wire names them.
    """
    return json_bytes(
        [{"field": name, "from": None, "to": value} for name, value in details.items() if value is not None]
    )


def circumstances_json(circumstances: Circumstances) -> bytes:
    """Return circumstances as `RevisionTexts` has them."""
    values: list[Any] = list(circumstances)
    return json_bytes(values)
