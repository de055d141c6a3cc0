"""Saved views of lists: filters, search, order and columns; stored encrypted."""

import json
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import DecryptionError, Key
from ops.base.records.json_values import json_bytes
from ops.base.records.operations import MOMENT, moment_text

VIEWS_PATH: Final = "/api/v1/views"
MOST_VIEWS: Final = 50
"""Maximum number of views per user and list."""
LONGEST_NAME: Final = 60
LONGEST_QUERY: Final = 2000
LIST_PATTERN: Final = r"^[a-z][a-z-]{0,39}$"
QUERY_PATTERN: Final = r"^[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*$"
"""Query of a URL (RFC 3986, section 3.4)."""
STORED_COLUMNS: Final = "sub, id, list, changed_at, key_id, ciphertext"
"""Columns of `preferences.views`, in the order of `StoredView`."""


class SavedView(BaseModel):
    """A saved view."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(json_schema_extra={"format": "uuid"}, examples=["0b8f4f5e-6a53-4f0e-9c1b-0d5f1f0c7a11"])
    list: str = Field(description="the list", pattern=LIST_PATTERN, examples=["drivers"])
    name: str = Field(min_length=1, max_length=LONGEST_NAME, examples=["Licences that end soon"])
    query: str = Field(
        description="query of the list's address: filters, search, order, columns",
        max_length=LONGEST_QUERY,
        pattern=QUERY_PATTERN,
        examples=["licenseValidUpTo=30&sort=licenseValidUpTo"],
    )
    changed_at: str = Field(**MOMENT)


class StoredView(NamedTuple):
    """A row of `preferences.views`."""

    sub: str
    id: UUID
    list: str
    changed_at: datetime
    key_id: str | None
    """None: the view was stored unencrypted."""
    ciphertext: bytes

    def decrypt(self) -> SavedView | None:
        """Return the view with a cached key; None if it cannot be decrypted."""
        key = None if self.key_id is None else KEYS.get(self.key_id)
        if self.key_id is not None and key is None:
            return None
        try:
            text = (
                self.ciphertext if key is None else key.decrypt(self.ciphertext, _context(self.sub, self.id))
            )
        except DecryptionError:
            return None  # the row was changed
        members: dict[str, Any] = json.loads(text)
        return SavedView(id=str(self.id), list=self.list, changed_at=moment_text(self.changed_at), **members)


def encrypt_view(key: Key, sub: str, view_id: UUID, name: str, query: str) -> bytes:
    """Return the ciphertext of a view's row."""
    return key.encrypt(json_bytes({"name": name, "query": query}), _context(sub, view_id))


def _context(sub: str, view_id: UUID) -> bytes:
    return f"views|{view_id}|{sub}".encode()
