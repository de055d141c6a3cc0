"""Witnesses: stores outside the instance that keep its checkpoints and return the last one."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlsplit

from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.sealed_log import write_atomically
from ops.tamper_evidence.signed_notes import VerifyingKey
from projections.relay.thread import begin_in_thread

if TYPE_CHECKING:
    import httpx

_SECONDS: Final = 5.0
_LONGEST_NOTE: Final = 1_000_000
_LAST: Final = "last.note"


class WitnessAway(Exception):
    """A witness does not answer; the message names the type of the error only."""


class Witness(Protocol):
    """A store of checkpoints; the methods block."""

    @property
    def name(self) -> str:
        """A name for operators, without passwords."""
        ...

    def last(self, key: VerifyingKey) -> str | None:
        """Return the last note that the key has signed, or None.

        Raises:
            WitnessAway: the witness does not answer, or returns something else.
        """
        ...

    def publish(self, notes: Sequence[str], key: VerifyingKey) -> None:
        """Store notes in order.

        Raises:
            WitnessAway: the notes may not be stored.
        """
        ...


class FolderWitness:
    """A folder on another machine, or one that this machine's administrators cannot change."""

    def __init__(self, folder: Path) -> None:
        self.name = str(folder)
        self._folder = folder

    def last(self, key: VerifyingKey) -> str | None:
        """Return the note in `last.note`."""
        try:
            path = self._folder / _LAST
            # A folder that is not mounted must not be created here, where it would be no witness.
            note = path.read_text("utf-8") if path.exists() or not self._folder.is_dir() else None
        except (OSError, UnicodeDecodeError) as error:
            raise WitnessAway(type(error).__name__) from None
        return require_ours(note, key)

    def publish(self, notes: Sequence[str], key: VerifyingKey) -> None:
        """Write each note to a new file, and the last one to `last.note`."""
        try:
            for note in notes:
                checkpoint = Checkpoint.from_note(note, key)
                name, number = f"{checkpoint.size:019}", 1
                path = self._folder / f"{name}.note"
                while path.exists() and path.read_text("utf-8") != note:
                    number += 1
                    path = self._folder / f"{name}-{number}.note"
                write_atomically(path, note.encode())
            for note in notes[-1:]:
                write_atomically(self._folder / _LAST, note.encode())
        except (OSError, UnicodeDecodeError) as error:
            raise WitnessAway(type(error).__name__) from None


class HttpWitness:
    """An address that stores the body of PUT, preferably each version, and returns the last one to GET."""

    def __init__(self, url: str) -> None:
        self.name = name_of(url)
        self._url = url

    def last(self, key: VerifyingKey) -> str | None:
        """Return the body of GET; 204 and 404 mean that no note is stored."""
        answer = send("GET", self._url)
        if answer.status_code in (204, 404):
            return None
        if answer.status_code != 200:
            raise WitnessAway(f"answers {answer.status_code}")
        return require_ours(answer.text, key)

    def publish(self, notes: Sequence[str], key: VerifyingKey) -> None:  # noqa: ARG002
        """Send the last note."""
        answer = send("PUT", self._url, notes[-1].encode(), "text/plain; charset=utf-8")
        if not answer.is_success:
            raise WitnessAway(f"answers {answer.status_code}")


def name_of(url: str) -> str:
    """Return an address without passwords."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"


def send(method: str, url: str, content: bytes = b"", content_type: str = "") -> "httpx.Response":
    """Return the response to a request; raise WitnessAway if there is none, or too long a one."""
    import httpx  # noqa: PLC0415 - 12 MB, and rarely needed

    headers = {"Content-Type": content_type} if content else {}
    try:
        with (
            httpx.Client(timeout=_SECONDS, trust_env=False) as client,
            client.stream(method, url, content=content, headers=headers) as answer,
        ):
            body = b""
            for piece in answer.iter_bytes():
                body += piece
                if len(body) > _LONGEST_NOTE:
                    raise WitnessAway("answers too much")
            return httpx.Response(answer.status_code, content=body)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise WitnessAway(type(error).__name__) from None


def require_ours(note: str | None, key: VerifyingKey) -> str | None:
    """Return the note if it is a checkpoint of this instance; raise WitnessAway if it is something else."""
    try:
        if note is not None:
            Checkpoint.from_note(note, key)
    except BadCheckpoint as error:
        raise WitnessAway(f"returned no checkpoint of this instance: {error}") from None
    return note


async def ask_all(
    witnesses: Sequence[Witness], key: VerifyingKey
) -> tuple[list[tuple[str, Checkpoint]], dict[str, str]]:
    """Return each witness's last checkpoint, and the errors of witnesses that do not answer, by name."""
    known, away = [], {}
    for witness in witnesses:
        try:
            note = await begin_in_thread(partial(witness.last, key))
        except WitnessAway as error:
            away[witness.name] = str(error)
        else:
            known.extend([] if note is None else [(witness.name, Checkpoint.from_note(note, key))])
    return known, away
