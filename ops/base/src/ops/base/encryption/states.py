"""States of sealed events, as the log stores them: which key opens one, and to what.

`command_api.event_store.mapper` writes them, and says what they show.
"""

from binascii import a2b_base64
from typing import Final

from ops.base.encryption.keys import ID_LENGTH, DecryptionError, Key

ENCRYPTED_PREFIX: Final = b'{"sealed":'
"""A state begins so that is sealed."""
_BEGINNING: Final = b'{"sealed":2,"key":"'
"""It goes on with the id of its key."""
KEY_ID: Final = slice(len(_BEGINNING), len(_BEGINNING) + ID_LENGTH)
"""Where that is."""
HEADER_BYTES: Final = KEY_ID.stop
"""Bytes of a state that say what it is sealed under."""
_END: Final = b"}\n"
"""Between what is shown and the box; no JSON that we write has a line's end."""
_FORMER: Final = b'{"sealed":1,'
"""A state of the release before this one begins so: its box is its last member, in base64."""
_FORMER_BOX: Final = b',"box":"'


def key_id_of(state: bytes | None) -> str | None:
    """Return the id of the key that a state is sealed under; None: it is in the clear."""
    return state[KEY_ID].decode(errors="replace") if state and state.startswith(ENCRYPTED_PREFIX) else None


def encrypt_state(shown: bytes, text: bytes, stream: str, version: int, key: Key) -> bytes:
    """Return a sealed state.

    Args:
        shown: a JSON object with what everybody may see.
        text: what is in the box.
        stream: whose event it is.
        version: the stream's, with it.
        key: of the record that it is about.
    """
    box = key.encrypt(text, _place(stream, version))
    return b'%b%b",%b%b%b' % (_BEGINNING, key.id.encode(), shown[1:-1], _END, box)


def plaintext_part(state: bytes) -> bytes:
    """Return the JSON object at the beginning of a sealed state: what everybody may see, and what seals it.

    Raises:
        ValueError: it has none.
    """
    return state if state.startswith(_FORMER) else state[: state.index(_END) + 1]


def decrypt_state(state: bytes, stream: str, version: int, key: Key) -> bytes:
    """Return what is in the box of a sealed state.

    Raises:
        DecryptionError: it was changed, or is another event's.
    """
    try:
        if state.startswith(_FORMER):
            box = a2b_base64(state[state.rindex(_FORMER_BOX) + len(_FORMER_BOX) : -2], strict_mode=True)
        else:
            box = state[state.index(_END) + len(_END) :]
    except ValueError:
        raise DecryptionError(f"version {version} of {stream} has no box") from None
    return key.decrypt(box, _place(stream, version))


def _place(stream: str, version: int) -> bytes:
    return b"%b|%d" % (stream.encode(), version)
