"""Views of lists that people have saved, as both APIs tell them, and as they are kept: sealed."""

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
"""Of one list that one person may have."""
LONGEST_NAME: Final = 60
LONGEST_QUERY: Final = 2000
LIST_PATTERN: Final = r"^[a-z][a-z-]{0,39}$"
QUERY_PATTERN: Final = r"^[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*$"
"""What an address has after its question mark (RFC 3986, section 3.4)."""
KEPT_COLUMNS: Final = "sub, id, list, changed_at, key_id, box"
"""Of `preferences.views`, in the order of the members of `KeptView`."""


class SavedView(BaseModel):
    """A view of a list that somebody has saved."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(json_schema_extra={"format": "uuid"}, examples=["0b8f4f5e-6a53-4f0e-9c1b-0d5f1f0c7a11"])
    list: str = Field(description="of which list", pattern=LIST_PATTERN, examples=["drivers"])
    name: str = Field(min_length=1, max_length=LONGEST_NAME, examples=["Licences that end soon"])
    query: str = Field(
        description="what the list's address says after its question mark: filters, search, order, columns",
        max_length=LONGEST_QUERY,
        pattern=QUERY_PATTERN,
        examples=["licenseValidUpTo=30&sort=licenseValidUpTo"],
    )
    changed_at: str = Field(**MOMENT)


class KeptView(NamedTuple):
    """A view as its row has it."""

    sub: str
    id: UUID
    list: str
    changed_at: datetime
    key_id: str | None
    """Of the key that the box is sealed under; None: it is in the clear."""
    box: bytes

    def opened(self) -> SavedView | None:
        """Return what it says, by a key that was loaded; None: nobody can tell."""
        key = None if self.key_id is None else KEYS.get(self.key_id)
        if self.key_id is not None and key is None:
            return None
        try:
            text = self.box if key is None else key.decrypt(self.box, _place(self.sub, self.id))
        except DecryptionError:
            return None  # changed: what it says is not to be believed
        said: dict[str, Any] = json.loads(text)
        return SavedView(id=str(self.id), list=self.list, changed_at=moment_text(self.changed_at), **said)


def box_of_view(key: Key | None, sub: str, view_id: UUID, name: str, query: str) -> bytes:
    """Return the box of a view's row.

    Args:
        key: its own; None: nothing is sealed.
        sub: whose view it is.
        view_id: which.
        name: what it is called.
        query: what it asks for.
    """
    text = json_bytes({"name": name, "query": query})
    return text if key is None else key.encrypt(text, _place(sub, view_id))


def _place(sub: str, view_id: UUID) -> bytes:
    return f"views|{view_id}|{sub}".encode()
