"""Parameters of prepared statements, as libpq sends them."""

from collections.abc import Sequence
from datetime import datetime
from struct import Struct
from typing import Any, Final, NamedTuple

import psycopg
from psycopg.pq import Format

_Single = str | int | datetime | None
Value = _Single | Sequence[_Single] | Sequence[bytes | None]

_BYTEA: Final = 17
"""What PostgreSQL calls the type."""
_ARRAY: Final = Struct("!iiIii")
_LENGTH: Final = Struct("!i")


class Given(NamedTuple):
    """A parameter as it is sent."""

    value: bytes | None
    written: Format


def given(value: Value) -> Given:
    """Return a parameter as it is sent; the statement's cast says of which type it is.

    Args:
        value: what; where an array has bytes, it has nothing else but nulls.

    Raises:
        psycopg.DataError: a text holds NUL.
    """
    if isinstance(value, list) and any(isinstance(one, bytes) for one in value):
        return Given(_array_of_bytes(value), Format.BINARY)
    return Given(_text(value), Format.TEXT)


def _array_of_bytes(values: Sequence[Any]) -> bytes:
    """Return an array as PostgreSQL reads it in binary: as text it would be thrice as long."""
    parts = [_ARRAY.pack(1, 1, _BYTEA, len(values), 1)]  # of one dimension, maybe with nulls, from 1 on
    for value in values:
        parts += [_LENGTH.pack(-1)] if value is None else [_LENGTH.pack(len(value)), value]
    return b"".join(parts)


def _text(value: Any) -> bytes | None:
    match value:
        case None:
            return None
        case str():
            text = value
        case int():
            return b"%d" % value
        case datetime():
            return value.isoformat().encode()
        case _:
            text = ",".join("NULL" if one is None else _quoted(one) for one in value)
            text = f"{{{text}}}"
    if "\0" in text:  # libpq would take it for the end
        raise psycopg.DataError("no text of PostgreSQL's can hold NUL")
    return text.encode()


def _quoted(value: str | int | datetime) -> str:
    """Return a value as an array's text has it."""
    if isinstance(value, int):
        return str(value)
    text = value if isinstance(value, str) else value.isoformat()
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
