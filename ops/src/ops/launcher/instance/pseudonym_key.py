"""The key of people's pseudonyms in the event stream: made once, readable by the data folder's owner."""

import secrets
from typing import Final

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private

_BYTES: Final = 32


def ensure_pseudonym_key(folder: DataFolder) -> None:
    """Make the key if there is none. With another key people get other pseudonyms."""
    if not folder.pseudonym_key.exists():
        write_private(folder.pseudonym_key, new_pseudonym_key(), durable=True)


def new_pseudonym_key() -> str:
    """Make a key, in hex."""
    return secrets.token_hex(_BYTES)
