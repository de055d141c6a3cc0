"""Test vectors of the format of audit files: valid proofs, and changed ones that no verifier accepts."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ops.tamper_evidence.accesses import AccessHead
from ops.tamper_evidence.checkpoints import Checkpoint, SealingRestart
from ops.tamper_evidence.leaves import LogRow, leaf_of
from ops.tamper_evidence.proofs import Bound, Scope
from ops.tamper_evidence.signed_notes import SigningKey
from ops.testing.sealed_logs import BEGIN, checkpoint_of, heads_of, proof_between, streams_of

KEY: Final = SigningKey("fleetlog", Ed25519PrivateKey.from_private_bytes(b"test vectors, not a secret key!!"))
OTHER_KEY: Final = SigningKey("fleetlog", Ed25519PrivateKey.from_private_bytes(bytes(32)))
STREAMS: Final = ("driver:EMP-1", "horse:HRS-1", "driver:EMP-2", 'location:Köln \U0001f69b\x7f\n"\\', "alone")
_REASON: Final = 'the disk was lost \u2013 \U0001f69b \x00\x7f\t"quoted"'
_SELECTED: Final = 24
ALL: Final = Scope("all")
Line = dict[str, Any]


def log_of(events: int) -> list[LogRow]:
    """Return a log of five streams that take turns; the last one has one event only."""
    rows, versions = list[LogRow](), dict.fromkeys(STREAMS, 0)
    for position in range(1, events + 1):
        stream = STREAMS[-1] if position == 5 else STREAMS[position % 4]
        versions[stream] += 1
        rows.append(
            LogRow(
                position,
                stream,
                versions[stream],
                "driver.details_changed",
                b"{}" * (position % 7),
                BEGIN + timedelta(microseconds=999_999 * position),
                UUID(int=position << 64) if position % 2 else None,
            )
        )
    return rows


def valid_proofs() -> dict[str, bytes]:
    """Return valid proofs by name."""
    rows, one = log_of(23), log_of(1)
    begun = SealingRestart(20, bytes(range(32)), 16, BEGIN, _REASON)
    unknown = SealingRestart(0, b"", 0, BEGIN, "")
    restarted = replace(checkpoint_at_end(rows), accesses=AccessHead(7, bytes(32)), restarts=(unknown, begun))
    note, signatures = checkpoint_at_end(rows).signed(KEY).rsplit("\n\n", 1)
    witnessed = f"{note}\n\n\N{EM DASH} witness AAAAAAAA\n{signatures}"
    scopes = {
        **{f"stream-{number}": Scope("stream", stream) for number, stream in enumerate(STREAMS, start=1)},
        "no-such-stream": Scope("stream", "driver:EMP-3"),
        "type": Scope("type", "driver"),
        "type-without-colon": Scope("type", "alone"),
        "no-such-type": Scope("type", "client"),
        "period": ALL,
        "consistency": Scope("nothing"),
    }
    opened = {1: "{}", 11: '{"a": [1.5, -1e9, null, "K\u00f6ln \U0001f69b"]}'}
    return {
        **{name: _proof(rows, scope) for name, scope in scopes.items()},
        **{f"{name}-after-9": _proof(rows, scope, start=9) for name, scope in scopes.items()},
        "all-after-22": _proof(rows, ALL, start=22),
        "same-checkpoint": _proof(rows, ALL, start=23),
        "type-after-22": _proof(rows, scopes["type"], start=22),
        "first-event": _proof(one, Scope("stream", one[0].originator_id)),
        "empty-log": _proof([], ALL),
        "no-stream-yet": _proof([], Scope("type", "driver")),
        "restarts": proof_between(rows, ALL, None, Bound(restarted.signed(KEY), 23)),
        "opened": _proof(rows, ALL, opened=opened),
        "witnessed": proof_between(rows, ALL, None, Bound(witnessed, 23)),
    }


def refused_proofs() -> dict[str, bytes]:
    """Return proofs that must be refused, by name: each differs in one way from a valid one."""
    found = {
        **dict(_changed("stream", Scope("stream", STREAMS[0]))),
        **dict(_changed("type", Scope("type", "driver"))),
        **dict(_changed("all", ALL)),
        **_of_changed_logs(),
        **_signed_falsely(),
    }
    return {f"{number:03}-{name}": proof for number, (name, proof) in enumerate(found.items(), start=1)}


def _changed(kind: str, scope: Scope) -> Iterator[tuple[str, bytes]]:
    """Yield changed proofs of the events after position 9, as pairs of a name and the proof."""
    rows = log_of(23)
    proof = _proof(rows, scope, start=9, opened={10: "{}", 14: "{}"} if kind == "all" else {})
    header, *lines = [json.loads(line) for line in proof.splitlines()]
    earlier = [json.loads(line) for line in _proof(log_of(22), scope, start=9).splitlines()]
    other = [json.loads(line) for line in _proof(rows, Scope("stream", STREAMS[1]), start=9).splitlines()]

    def lines_of(changed: list[Line], first: Line = header) -> bytes:
        return b"".join(leaf_of(line) + b"\n" for line in (first, *changed))

    for number, line in enumerate(lines):
        before, after = lines[:number], lines[number + 1 :]
        at = f"{kind}-line-{number + 2}"
        if "opened" not in line:
            yield f"{at}-dropped", lines_of([*before, *after])
            yield f"{at}-twice", lines_of([*before, line, line, *after])
        if after and after[0] != line:
            yield f"{at}-swapped", lines_of([*before, after[0], line, *after[1:]])
        yield f"{at}-comment", lines_of([*before, line | {"comment": "trust me"}, *after])
        for name, members in _changed_line(line).items():
            yield f"{at}-{name}", lines_of([*before, line | members, *after])
    for name, members in {
        "format": {"format": "fleetlog-audit-proof/2"},
        "member-more": {"comment": "trust me"},
        "from-and-to-swapped": {"from": header["to"], "to": header["from"]},
        "from-removed": {"from": None},
        "to-of-another-log": {"to": replace(checkpoint_at_end(rows), origin="fleetlog/other").signed(KEY)},
        "older-to": {"to": earlier[0]["to"]},
        "another-scope": {"scope": {"stream": STREAMS[2]}},
        "another-type": {"scope": {"type": "horse"}},
        "scope-nothing": {"scope": {"nothing": True}},
        "type-with-colon": {"scope": {"type": STREAMS[0]}},
        "two-scopes": {"scope": {"all": True, **header["scope"], "nothing": True}},
        "no-scope": {"scope": {}},
        "scope-false": {"scope": {"all": False}},
        "scope-number": {"scope": {"type": 1}},
        "scope-surrogate": {"scope": {"stream": "\ud800"}},
    }.items():
        yield f"{kind}-{name}", lines_of(lines, header | members)
    for name, checkpoint in _changed_checkpoints(checkpoint_at_end(rows)).items():
        if kind != "all" or not name.endswith("-streams"):  # no branch proves anything there
            yield f"{kind}-checkpoint-{name}", lines_of(lines, header | {"to": checkpoint})
    for member in header:
        fewer = {name: header[name] for name in header if name != member}
        yield f"{kind}-without-{member}", lines_of(lines, fewer)
    yield f"{kind}-older-lines", lines_of(earlier[1:])
    yield f"{kind}-others-lines", lines_of(other[1:])
    yield f"{kind}-reversed", lines_of(lines[::-1])
    yield f"{kind}-cut-off", proof[: len(proof) // 2]
    yield f"{kind}-no-line-feed", proof[:-1]
    yield f"{kind}-empty-line", proof + b"\n"
    yield f"{kind}-carriage-returns", proof.replace(b"\n", b"\r\n")
    yield f"{kind}-byte-order-mark", b"\xef\xbb\xbf" + proof
    yield f"{kind}-space", proof.replace(b'":', b'": ', 1)
    yield f"{kind}-fraction", proof.replace(b'"skip":8', b'"skip":8.0', 1)
    yield f"{kind}-exponent", proof.replace(b'"skip":8', b'"skip":8e0', 1)
    yield f"{kind}-name-twice", proof.replace(b'"skip":8', b'"skip":8,"skip":8', 1)
    yield f"{kind}-escape", proof.replace(b"fleetlog-audit", b"fleetlog\\u002daudit", 1)


def _changed_line(line: Line) -> dict[str, Line]:
    if "topic" in line:
        moment = line["moment"]
        return {
            "stream": {"originator_id": f"{line['originator_id']}0"},
            "version": {"originator_version": line["originator_version"] + 1},
            "position": {"position": line["position"] + 1},
            "topic": {"topic": "driver.removed"},
            "state": {"state": "e30=" if line["state"] != "e30=" else ""},
            "backdated": {"moment": "2026-11-20" + moment[10:]},
            "command": {"command_id": None if line["command_id"] else str(UUID(int=1))},
        }
    if "skip" in line:
        return {
            "root": {"root": "00" * 32},
            "capitals": {"root": line["root"].upper()},
            "short-root": {"root": line["root"][2:]},
            "more": {"skip": 2 * line["skip"]},
            "less": {"skip": line["skip"] // 2},
            "text": {"skip": str(line["skip"])},
        }
    if "opened" in line:
        return {
            "position": {"position": line["position"] + 1},
            "no-text": {"opened": {}},
            "surrogate": {"opened": "\ud800"},
        }
    if "path" in line:
        path = line["path"]
        return {
            "name": {"branch": "from" if line["branch"] == "to" else "to"},
            "path-cut": {"path": path[:-1]},
            "path-longer": {"path": [*path, "00" * 32]},
            "path-reversed": {"path": path[::-1]},
            "path-too-long": {"path": ["00" * 32] * 257},
        }
    return {
        "leaf-version": {"version": line["version"] + 1},
        "leaf-position": {"position": line["position"] + 1},
        "leaf-stream": {"stream": "driver:EMP-9"},
    }


def _of_changed_logs() -> dict[str, bytes]:
    """Return proofs that changed logs give under the checkpoints of the original one."""
    rows = log_of(23)
    found = {}
    for name, changed in changed_logs(rows).items():
        for kind, scope in {"all": ALL, "stream": Scope("stream", STREAMS[0])}.items():
            end = Bound(checkpoint_at_end(rows).signed(KEY), len(rows), heads_of(changed))
            with suppress(IndexError):  # the changed log is too short for the checkpoint
                found[f"log-{name}-{kind}"] = proof_between(changed, scope, None, end)
    return found


def changed_logs(rows: list[LogRow]) -> dict[str, list[LogRow]]:
    """Return the log with one change each; positions stay without gaps."""
    first, last = rows[:11], rows[12:]
    row, stranger = rows[11], rows[12]
    later = [one._replace(position=one.position - 1) for one in last]
    moved = [one._replace(position=one.position + 1) for one in last]
    return {
        "event-dropped": [*first, *later, rows[-1]],
        "event-inserted": [*first, row, row._replace(position=13), *moved[:-1]],
        "events-swapped": [*first, stranger._replace(position=12), row._replace(position=13), *last[1:]],
        "state-changed": [*first, row._replace(state=b'{"forged":1}'), *last],
        "backdated": [*first, row._replace(moment=BEGIN), *last],
        "made-another-streams": [*first, row._replace(originator_id=STREAMS[2]), *last],
        "first-changed": [rows[0]._replace(state=b"?"), *rows[1:]],
        "last-changed": [*rows[:-1], rows[-1]._replace(topic="driver.removed")],
        "erased-and-forged": [
            *first,
            row._replace(topic="driver.erased", state=b'{"sealed":2,"key":"k"}'),
            *last,
        ],
    }


def _signed_falsely() -> dict[str, bytes]:
    """Return proofs whose checkpoint the key's holder has signed for something that is no history."""
    rows, found = log_of(23), {}
    gap = [row._replace(originator_version=row.originator_version + (row.position > 12)) for row in rows]
    twice = [row._replace(originator_version=max(1, row.originator_version - 1)) for row in rows]
    for name, changed in {"version-missing": gap, "version-twice": twice}.items():
        for kind, scope in {"type": Scope("type", "driver"), "stream": Scope("stream", STREAMS[1])}.items():
            found[f"signed-{name}-{kind}"] = proof_between(changed, scope, None, _bound(changed))
    no_streams = Bound(replace(checkpoint_at_end(rows), streams=b"").signed(KEY), 23, heads_of(rows))
    longer = Bound(replace(checkpoint_at_end(rows), size=22).signed(KEY), 23, heads_of(rows))
    older_heads = Bound(
        replace(checkpoint_at_end(rows), streams=streams_of(rows[:19]).root).signed(KEY),
        23,
        heads_of(rows[:19]),
    )
    scope = Scope("stream", STREAMS[0])
    return {
        **found,
        "signed-without-streams": proof_between(rows, scope, None, no_streams),
        "signed-another-size": proof_between(rows, ALL, None, longer),
        "signed-older-streams": proof_between(rows, scope, None, older_heads),
        "signed-other-origins": proof_between(
            rows,
            ALL,
            Bound(replace(checkpoint_at_end(rows[:9]), origin="fleetlog/4").signed(KEY), 9),
            _bound(rows),
        ),
    }


def _changed_checkpoints(sealed: Checkpoint) -> dict[str, str]:
    text = sealed.text()
    restart = replace(sealed, restarts=(SealingRestart(1, b"", 0, BEGIN, "lost"),)).text()
    return {
        "other-key": sealed.signed(OTHER_KEY),
        "no-streams": replace(sealed, streams=b"").signed(KEY),
        "other-streams": replace(sealed, streams=bytes(32)).signed(KEY),
        "other-root": replace(sealed, root=bytes(32)).signed(KEY),
        "short-root": replace(sealed, root=bytes(31)).signed(KEY),
        "previous": replace(sealed, previous=sealed.size).signed(KEY),
        "unsigned": text,
        "changed-time": sealed.signed(KEY).replace("T0", "T1", 1),
        "leading-zero": KEY.sign(text.replace(f"\n{sealed.size}\n", f"\n0{sealed.size}\n", 1)),
        "line-more": KEY.sign(text + "comment\n"),
        "line-twice": KEY.sign(text + text.splitlines(keepends=True)[-1]),
        "origin": replace(sealed, origin="other/0123").signed(KEY),
        "size-of-54-bits": replace(sealed, size=1 << 53).signed(KEY),
        "accesses-of-31-bytes": replace(sealed, accesses=AccessHead(1, bytes(31))).signed(KEY),
        "accesses-of-54-bits": replace(sealed, accesses=AccessHead(1 << 53, bytes(32))).signed(KEY),
        "no-such-day": KEY.sign(text.replace("2026-11-22T", "2026-02-30T")),
        "zone": KEY.sign(text.replace("Z\n", "+00:00\n", 1)),
        "restart-without-space": KEY.sign(f"{restart[:-1].replace(', ', ',')}\n"),
        "restart-escaped": KEY.sign(restart.replace("lost", "l\\u006fst")),
        "restart-more": KEY.sign(f'{restart[:-2]}, "more": 1}}\n'),
        "other-name": sealed.signed(KEY).replace("\N{EM DASH} fleetlog ", "\N{EM DASH} other "),
        "malformed-line": f"{sealed.signed(KEY)}\N{EM DASH} witness ?\n",
        "carriage-return": KEY.sign(text.replace("\n", "\r\n")),
        "empty": "",
    }


def checkpoint_at_end(rows: list[LogRow]) -> Checkpoint:
    """Return the checkpoint of a whole log."""
    return replace(checkpoint_of(rows), moment=BEGIN + timedelta(days=1))


def proof_at_end(rows: list[LogRow], scope: Scope, *, checkpoint: Checkpoint | None = None) -> bytes:
    """Return a proof of the whole log; by default with its own checkpoint."""
    end = Bound((checkpoint or checkpoint_at_end(rows)).signed(KEY), len(rows), heads_of(rows))
    return proof_between(rows, scope, None, end)


def _bound(rows: list[LogRow]) -> Bound:
    return Bound(checkpoint_at_end(rows).signed(KEY), len(rows), heads_of(rows))


def _proof(rows: list[LogRow], scope: Scope, *, start: int = 0, opened: Mapping[int, str] = {}) -> bytes:
    return proof_between(rows, scope, _bound(rows[:start]) if start else None, _bound(rows), opened)


def write(folder: Path) -> None:
    """Write the valid proofs, and a selection of the others."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "public-key").write_text(f"{KEY.verifying_key}\n")
    for name, proof in valid_proofs().items():
        (folder / f"valid-{name}.ndjson").write_bytes(proof)
    for name, proof in [*refused_proofs().items()][::_SELECTED]:
        (folder / f"refused-{name}.ndjson").write_bytes(proof)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
