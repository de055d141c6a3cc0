"""The stored format of encrypted event states: a JSON object in plain text, and the ciphertext.

`command_api.event_store.mapper` writes these states.
"""

from typing import Final

from ops.base.encryption.keys import ID_LENGTH, DecryptionError, Key

ENCRYPTED_PREFIX: Final = b'{"sealed":'
"""The first bytes of every encrypted state."""
_HEADER: Final = b'{"sealed":2,"key":"'
"""The key's id follows."""
KEY_ID: Final = slice(len(_HEADER), len(_HEADER) + ID_LENGTH)
HEADER_BYTES: Final = KEY_ID.stop
"""Bytes of a state that contain its key's id."""
_END: Final = b"}\n"
"""Ends the plain text; compact JSON contains no line feed."""


def key_id_of(state: bytes | None) -> str | None:
    """Return the id of a state's key; None for an unencrypted state."""
    return state[KEY_ID].decode(errors="replace") if state and state.startswith(ENCRYPTED_PREFIX) else None


def encrypt_state(public: bytes, plaintext: bytes, stream: str, version: int, key: Key) -> bytes:
    """Return an encrypted state.

    Args:
        public: a JSON object with the members that stay in plain text.
    """
    ciphertext = key.encrypt(plaintext, _context(stream, version))
    return b'%b%b",%b%b%b' % (_HEADER, key.id.encode(), public[1:-1], _END, ciphertext)


def plaintext_part(state: bytes) -> bytes:
    """Return the JSON object in plain text of an encrypted state; raises `ValueError`."""
    return state[: state.index(_END) + 1]


def decrypt_state(state: bytes, stream: str, version: int, key: Key) -> bytes:
    """Return the plaintext of an encrypted state; raises `DecryptionError`."""
    try:
        ciphertext = state[state.index(_END) + len(_END) :]
    except ValueError:
        raise DecryptionError(f"version {version} of {stream} has no ciphertext") from None
    return key.decrypt(ciphertext, _context(stream, version))


def _context(stream: str, version: int) -> bytes:
    return b"%b|%d" % (stream.encode(), version)
