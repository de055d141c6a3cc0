"""Witnesses: places outside of the instance that remember its checkpoints, and can be asked for the last."""

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
    """A witness could not be asked or told; the message never holds more than kinds of errors."""


class Witness(Protocol):
    """A place that remembers checkpoints. Its methods block."""

    @property
    def name(self) -> str:
        """What people are told of it: no password."""
        ...

    def last(self, key: VerifyingKey) -> str | None:
        """Return the last note that the key has signed; None: there is none.

        Raises:
            WitnessAway: it cannot be asked, or has something else in its place.
        """
        ...

    def tell(self, notes: Sequence[str], key: VerifyingKey) -> None:
        """Let it remember notes, the last one as the last.

        Raises:
            WitnessAway: it cannot be determined.
        """
        ...


class FolderWitness:
    """A folder on another machine, or one that this one's administrators cannot write to."""

    def __init__(self, folder: Path) -> None:
        self.name = str(folder)
        self._folder = folder

    def last(self, key: VerifyingKey) -> str | None:
        """See `Witness.last`."""
        try:
            path = self._folder / _LAST
            # One that is not mounted is away; it is not made here, where it would be no witness.
            note = path.read_text("utf-8") if path.exists() or not self._folder.is_dir() else None
        except (OSError, UnicodeDecodeError) as error:
            raise WitnessAway(type(error).__name__) from None
        return require_ours(note, key)

    def tell(self, notes: Sequence[str], key: VerifyingKey) -> None:
        """See `Witness.tell`; none takes the place of another one."""
        try:
            for note in notes:
                checkpoint = Checkpoint.from_note(note, key)
                name, number = f"{checkpoint.size:019}", 1
                path = self._folder / f"{name}.note"
                while path.exists() and path.read_text("utf-8") != note:
                    number += 1
                    path = self._folder / f"{name}-{number}.note"
                write_atomically(path, note)
            for note in notes[-1:]:
                write_atomically(self._folder / _LAST, note)
        except (OSError, UnicodeDecodeError) as error:
            raise WitnessAway(type(error).__name__) from None


class HttpWitness:
    """An address that keeps what is PUT to it, best each version: GET gives the last one, or 404."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.name = f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"
        self._url = url

    def last(self, key: VerifyingKey) -> str | None:
        """See `Witness.last`."""
        answer = self._ask("GET")
        if answer.status_code in (204, 404):
            return None
        if answer.status_code != 200:
            raise WitnessAway(f"answers {answer.status_code}")
        return require_ours(answer.text, key)

    def tell(self, notes: Sequence[str], key: VerifyingKey) -> None:  # noqa: ARG002
        """See `Witness.tell`: it is told the last one only."""
        answer = self._ask("PUT", notes[-1].encode())
        if not answer.is_success:
            raise WitnessAway(f"answers {answer.status_code}")

    def _ask(self, method: str, content: bytes | None = None) -> "httpx.Response":
        import httpx  # noqa: PLC0415 - 12 MB, and few have such a witness

        headers = {"Content-Type": "text/plain; charset=utf-8"} if content else {}
        try:
            with (
                httpx.Client(timeout=_SECONDS, trust_env=False) as client,
                client.stream(method, self._url, content=content, headers=headers) as answer,
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
    """Return a note that holds a checkpoint of this instance's, if there is one.

    Raises:
        WitnessAway: there is something else.
    """
    try:
        if note is not None:
            Checkpoint.from_note(note, key)
    except BadCheckpoint as error:
        raise WitnessAway(f"has what is no checkpoint of this instance's: {error}") from None
    return note


async def ask_all(
    witnesses: Sequence[Witness], key: VerifyingKey
) -> tuple[list[tuple[str, Checkpoint]], dict[str, str]]:
    """Return the last checkpoint of each witness that has one, and why others cannot be asked, by names."""
    known, away = [], {}
    for witness in witnesses:
        try:
            note = await begin_in_thread(partial(witness.last, key))
        except WitnessAway as error:
            away[witness.name] = str(error)
        else:
            known.extend([] if note is None else [(witness.name, Checkpoint.from_note(note, key))])
    return known, away
