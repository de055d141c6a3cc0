"""The encrypted texts of a revision."""

from typing import NamedTuple, Self

from pydantic_core import from_json

from ops.base.encryption.keys import Key
from ops.base.encryption.rows import decrypt_texts, encrypt_texts, row_context
from ops.base.records.entities import NOT_DETAILS
from ops.base.records.json_values import json_bytes
from read_model.tables import REVISIONS


class Circumstances(NamedTuple):
    """Context of a change that may contain personal data; the fields are columns of `revisions`."""

    actor_name: str | None
    request_id: str | None
    client_request_id: str | None
    reason: str | None


class RevisionTexts(NamedTuple):
    """JSON texts, in the order of the encrypted payload."""

    record: bytes
    """The record after the change; empty without one."""
    own_changes: bytes
    """The changes; empty for a registration, whose changes follow from the record."""
    circumstances: bytes
    """The fields of `Circumstances` as a JSON array."""

    @property
    def state(self) -> bytes | None:
        """The record after the change, or None."""
        return self.record or None

    @property
    def changes(self) -> bytes:
        """The fields that the event set."""
        if self.own_changes:
            return self.own_changes
        # All details, by their wire names, that are not null.
        details = {k: v for k, v in from_json(self.state or b"{}").items() if k not in NOT_DETAILS}
        return json_bytes(
            [{"field": k, "from": None, "to": value} for k, value in details.items() if value is not None]
        )

    def sealed(self, key: Key, stream: str, version: int) -> bytes:
        """Return the texts encrypted under the record's key, bound to its stream and version."""
        return encrypt_texts(key, row_context(REVISIONS.encrypted_as, stream, version), self)

    @classmethod
    def opened(cls, key: Key, stream: str, version: int, ciphertext: bytes) -> Self:
        """Decrypt a revision's texts; raise DecryptionError if they were changed or belong to another row."""
        return cls(*decrypt_texts(key, row_context(REVISIONS.encrypted_as, stream, version), ciphertext))
