"""Verification of proofs, in memory that does not depend on their number of events."""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ops.tamper_evidence.checkpoints import BadCheckpoint, Checkpoint
from ops.tamper_evidence.leaves import leaf_of
from ops.tamper_evidence.merkle_tree import Frontier, leaf_hash
from ops.tamper_evidence.proofs import FORMAT, Scope
from ops.tamper_evidence.signed_notes import VerifyingKey
from ops.tamper_evidence.stream_tree import LEAF, Prefix, key_of, root_of_branch

_EVENT: Final = frozenset(
    {"position", "originator_id", "originator_version", "topic", "state", "moment", "command_id"}
)
_NUMBERS: Final = 1 << 53
_HASH_BYTES: Final = 32


class BadProof(Exception):
    """A proof is not valid."""


class Contradiction(BadProof):
    """A proof that is valid otherwise contradicts known checkpoints."""

    def __init__(self, checkpoints: Sequence[Checkpoint]) -> None:
        positions = ", ".join(str(position) for position in sorted({one.size for one in checkpoints}))
        super().__init__(f"it contradicts another checkpoint, of position {positions}")
        self.checkpoints = checkpoints


class Proven(NamedTuple):
    """What a valid proof proves.

    Attributes:
        start: the checkpoint after which it begins; None: at the beginning of the log.
        events: how many it shows.
        history: the events, as `LogRow.as_json` returns them, if the scope is one stream.
        streams: number of streams of the scope at `end`; None: the scope is neither a type nor a stream.
        opened: whether it has decrypted contents, which are not proven.
        not_compared: known checkpoints that could not be compared with it.
    """

    scope: Scope
    start: Checkpoint | None
    end: Checkpoint
    events: int
    history: tuple[dict[str, Any], ...]
    streams: int | None
    opened: bool
    not_compared: tuple[Checkpoint, ...]


def check_proof(lines: Iterable[bytes], key: VerifyingKey, known: Iterable[Checkpoint] = ()) -> Proven:
    """Verify a proof.

    Args:
        lines: each with its line feed.
        known: verified checkpoints that must not contradict it.

    Raises:
        BadProof: it is not valid.
        Contradiction: it is valid, but contradicts known checkpoints.
    """
    try:
        return _Check(lines, key, known).result()
    except BadCheckpoint as error:
        raise BadProof(f"a checkpoint cannot be trusted: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadProof("not a proof") from None


def signed_checkpoints(header: bytes, key: VerifyingKey) -> list[Checkpoint]:
    """Return the checkpoints in the first line of a proof whose signatures are right."""
    found = []
    with suppress(ValueError, AttributeError, RecursionError):
        members = json.loads(header)
        for name in ("from", "to"):
            with suppress(BadCheckpoint, AttributeError):
                found.append(Checkpoint.from_note(members.get(name), key))
    return found


@dataclass
class _Shown:
    """The events of a stream that a proof shows."""

    first_version: int
    version: int
    position: int


class _Check:
    def __init__(self, lines: Iterable[bytes], key: VerifyingKey, known: Iterable[Checkpoint]) -> None:
        self._lines = iter(lines)
        header = _exact(next(self._lines, b""))
        if header["format"] != FORMAT or header.keys() != {"format", "scope", "from", "to"}:
            raise BadProof("not a proof of this format")
        self._scope = _scope(header["scope"])
        self._start = None if header["from"] is None else Checkpoint.from_note(header["from"], key)
        self._end = Checkpoint.from_note(header["to"], key)
        if self._start and (self._start.origin != self._end.origin or self._start.size > self._end.size):
            raise BadProof("its checkpoints do not belong together")
        self._begin = self._start.size if self._start else 0
        self._known = list(known)
        self._line = b""
        """The line after those that have been read; empty at the end."""
        self._frontier = Frontier()
        self._expected: dict[int, list[Checkpoint]] = {}
        """Known checkpoints to be compared, by their size."""
        self._bounds = [bound for bound in (self._start, self._end) if bound]
        self._reached: list[Checkpoint] = []
        self._contradicting: list[Checkpoint] = []
        self._shown: dict[str, _Shown] = {}
        self._last = 0
        """Position of the event in the line before; 0: it has none."""
        self._events = 0
        self._history: list[dict[str, Any]] = []
        self._opened = False

    def result(self) -> Proven:
        comparable = [
            one
            for one in self._known
            if one.origin == self._end.origin and not self._end.explains(one) and not one.explains(self._end)
        ]
        for one in comparable:
            self._expected.setdefault(one.size, []).append(one)
        self._read_events()
        if self._frontier.size != self._end.size:
            raise BadProof(
                f"it ends at position {self._frontier.size}, and its checkpoint at {self._end.size}"
            )
        if self._start and self._start not in self._reached:
            raise BadProof("its first checkpoint is inside of a subtree that it does not show")
        streams = None
        if (prefix := self._scope.prefix) is not None:
            before: dict[str, tuple[int, int]] = {}
            if self._start is not None:
                before = self._read_branch("from", prefix, self._start)
            after = self._read_branch("to", prefix, self._end)
            self._require_complete(before, after)
            streams = len(after)
        if self._line:
            raise BadProof("it has lines that prove nothing")
        if self._contradicting:
            raise Contradiction(self._contradicting)
        missed = {id(one) for group in self._expected.values() for one in group}
        not_compared = [one for one in self._known if id(one) in missed or one not in comparable]
        return Proven(
            self._scope,
            self._start,
            self._end,
            self._events,
            tuple(self._history),
            streams,
            self._opened,
            tuple(not_compared),
        )

    def _read_events(self) -> None:
        """Read the part about the events, and the line after it."""
        self._compare()
        for line in self._lines:
            members = json.loads(line)
            if members.keys() == _EVENT:
                self._add_event(line, _exact(line))
            elif "skip" in members:
                self._add_skip(**_exact(line))
            elif "opened" in members:
                self._add_opened(**_exact(line))
            else:
                self._line = line
                break
            self._compare()

    def _add_event(self, line: bytes, event: dict[str, Any]) -> None:
        position, stream = _number(event["position"]), event["originator_id"]
        version = _number(event["originator_version"])
        if position != self._frontier.size + 1 or position <= self._begin:
            raise BadProof(f"the event at position {position} is out of place")
        if not self._scope.has(stream):
            raise BadProof(f"the event at position {position} does not belong to the scope")
        if self._scope.prefix is not None:
            shown = self._shown.setdefault(stream, _Shown(version, version - 1, 0))
            if version != shown.version + 1:
                raise BadProof(f"version {shown.version + 1} is missing before position {position}")
            shown.version, shown.position = version, position
        self._frontier.append(leaf_hash(line[:-1]))
        self._events += 1
        if self._scope.kind == "stream":
            self._history.append(event)
        self._last = position

    def _add_skip(self, skip: Any, root: Any) -> None:
        if self._scope.kind == "all" and self._frontier.size >= self._begin:
            raise BadProof(f"the events after position {self._frontier.size} are missing")
        self._frontier.append_subtree(_number(skip), _hash(root))
        self._last = 0

    def _add_opened(self, opened: Any, position: Any) -> None:
        if not isinstance(opened, str) or _number(position) != self._last or not self._last:
            raise BadProof("it opens an event that does not precede")
        _require_text(opened)
        self._opened = True

    def _compare(self) -> None:
        """Compare the checkpoints of the current size."""
        here = [bound for bound in self._bounds if bound.size == self._frontier.size]
        for one in here:
            if self._frontier.root != one.root:
                raise BadProof(f"the events up to position {one.size} are not those of its checkpoint")
        self._reached += here
        for one in self._expected.pop(self._frontier.size, ()):
            if self._frontier.root != one.root or any(bound.streams != one.streams for bound in here):
                self._contradicting.append(one)

    def _read_branch(self, name: str, prefix: Prefix, checkpoint: Checkpoint) -> dict[str, tuple[int, int]]:
        """Return version and position of the last event of each stream of the scope."""
        header = _exact(self._line)
        if header.keys() != {"branch", "path"} or header["branch"] != name:
            raise BadProof("a branch is missing")
        path, leaves, heads = [_hash(node) for node in header["path"]], list[bytes](), {}
        self._line = b""
        for line in self._lines:
            members = _exact(line)
            if "branch" in members:
                self._line = line
                break
            key, stream = _key(members, prefix)
            version, position = _number(members["version"]), _number(members["position"])
            leaves.append(LEAF.pack(key, version, position))
            if stream is not None and self._scope.has(stream):
                heads[stream] = (version, position)
        if not checkpoint.streams or root_of_branch(prefix, path, leaves) != checkpoint.streams:
            raise BadProof("the last events of streams are not those of a checkpoint")
        return heads

    def _require_complete(
        self, before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]
    ) -> None:
        """Raise BadProof unless the events lead from the last ones at `from` to those at `to`."""
        for stream in before.keys() | after.keys() | self._shown.keys():
            start, end = before.get(stream, (0, 0)), after.get(stream, (0, 0))
            shown = self._shown.get(stream)
            fits = (
                start == end
                if shown is None
                else (start[0] + 1, end) == (shown.first_version, (shown.version, shown.position))
            )
            if not fits:
                raise BadProof(f"events of {stream} are missing, or too many")


def _scope(members: Any) -> Scope:
    ((kind, name),) = members.items()
    if (kind == "stream" and isinstance(name, str)) or (kind == "type" and ":" not in name):
        _require_text(name)
        return Scope(kind, name)
    if kind in ("all", "nothing") and name is True:
        return Scope(kind)
    raise ValueError("not a scope")


def _exact(line: bytes) -> dict[str, Any]:
    """Parse a line; raises `ValueError` or `AttributeError` unless it is exact."""
    members: dict[str, Any] = json.loads(line)
    if leaf_of(members) + b"\n" != line or not isinstance(members, dict):
        raise ValueError("not an exact line")
    return members


def _key(members: dict[str, Any], prefix: Prefix) -> tuple[bytes, str | None]:
    """Return the key of a leaf's line, and its stream if that is named."""
    if members.keys() == {"stream", "version", "position"}:
        stream = members["stream"]
        key = key_of(stream)
    else:
        stream, key = None, _hash(members["key"])
    if len(members) != 3 or prefix.begins(key) != (stream is not None):
        raise ValueError("not a leaf")
    return key, stream


def _number(value: Any) -> int:
    if type(value) is not int or not 0 < value < _NUMBERS:
        raise ValueError("not a number")
    return value


def _hash(text: Any) -> bytes:
    node = bytes.fromhex(text)
    if len(node) != _HASH_BYTES or node.hex() != text:
        raise ValueError("not a hash")
    return node


def _require_text(text: str) -> None:
    text.encode()  # refuses unpaired surrogates
