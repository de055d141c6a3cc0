"""Somebody who acts, as a row of the directory of actors has them."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import DecryptionError, Key
from ops.base.records.json_values import json_bytes


class Actor(NamedTuple):
    """Somebody, as the directory knew them at some moment."""

    key_id: str | None
    """What their names are sealed under; None: they never had any."""
    names: Sequence[tuple[str, datetime]]
    """And since when, the oldest first; empty: nobody can tell."""
    read_at: datetime
    ciphertext: bytes | None = None
    status: str | None = None
    """What was decided last about them: the kind of that event."""

    def name(self, moment: datetime) -> str | None:
        """Return what they were called; None: nobody can tell."""
        return next((name for name, since in reversed(self.names) if since <= moment), self._first)

    @property
    def is_erased(self) -> bool:
        """Whether they had names, and were forgotten, or are about to be."""
        return self.status == "erased" or (self.key_id is not None and self.ciphertext is None)

    @property
    def is_restricted(self) -> bool:
        """Whether what they are called is shown to few."""
        return self.status in ("restricted", "hold_set")

    @property
    def _first(self) -> str | None:
        return self.names[0][0] if self.names else None


def encrypt_names(key: Key, sub: str, names: Sequence[tuple[str, datetime]]) -> bytes:
    """Return the ciphertext of somebody's row.

    Args:
        key: theirs.
        sub: the subject.
        names: see `Actor`.
    """
    return key.encrypt(json_bytes([[name, since.isoformat()] for name, since in names]), _place(sub))


def decrypt_names(key_id: str | None, sub: str, ciphertext: bytes | None) -> Sequence[tuple[str, datetime]]:
    """Return the names in the ciphertext of somebody's row, by a key that was loaded; none: nobody has it.

    Args:
        key_id: theirs.
        sub: the subject.
        ciphertext: the ciphertext, if there is one.
    """
    key = None if key_id is None else KEYS.get(key_id)
    if key is None or ciphertext is None:
        return ()
    try:
        names = json.loads(key.decrypt(ciphertext, _place(sub)))
    except DecryptionError:
        return ()  # changed: what it says is not to be believed
    return [(name, datetime.fromisoformat(since)) for name, since in names]


def _place(sub: str) -> bytes:
    return b"actors|" + sub.encode()
