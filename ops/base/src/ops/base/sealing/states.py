"""States of sealed events, as the log stores them: which key opens one, and to what.

`command_api.event_store.sealed_states` writes them, and says what they show.
"""

from binascii import Error, a2b_base64, b2a_base64
from typing import Final

from ops.base.sealing.keys import ID_LENGTH, CannotOpen, Key

SEALED: Final = b'{"sealed":1,"key":"'
"""A state begins so that is sealed, and goes on with the id of its key."""
_KEY_ID: Final = slice(len(SEALED), len(SEALED) + ID_LENGTH)
STATE_BEGINNING: Final = _KEY_ID.stop
"""Bytes of a state that say what it is sealed under."""
_BOX: Final = b',"box":"'


def key_id_of(state: bytes | None) -> str | None:
    """Return the id of the key that a state is sealed under; None: it is in the clear."""
    return state[_KEY_ID].decode(errors="replace") if state and state.startswith(SEALED) else None


def sealed_state(shown: bytes, text: bytes, stream: str, version: int, key: Key) -> bytes:
    """Return a sealed state.

    Args:
        shown: a JSON object with what everybody may see.
        text: what is in the box.
        stream: whose event it is.
        version: the stream's, with it.
        key: of the record that it is about.
    """
    box = b2a_base64(key.seal(text, _place(stream, version)), newline=False)
    return b'%b%b",%b%b%b"}' % (SEALED, key.id.encode(), shown[1:-1], _BOX, box)


def opened_state(state: bytes, stream: str, version: int, key: Key) -> bytes:
    """Return what is in the box of a sealed state.

    Raises:
        CannotOpen: it was changed, or is another event's.
    """
    try:
        box = a2b_base64(state[state.rindex(_BOX) + len(_BOX) : -2], strict_mode=True)
    except (ValueError, Error):
        raise CannotOpen(f"version {version} of {stream} has no box") from None
    return key.open(box, _place(stream, version))


def _place(stream: str, version: int) -> bytes:
    return b"%b|%d" % (stream.encode(), version)
