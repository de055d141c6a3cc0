"""Test vectors of the format of audit files: valid bundles, and changed ones that no verifier accepts."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ops.tamper_evidence.accesses import AccessHead
from ops.tamper_evidence.bundles import FORMAT, make_bundle
from ops.tamper_evidence.checkpoints import Checkpoint, SealingRestart
from ops.tamper_evidence.leaves import LogRow, leaf_of
from ops.tamper_evidence.merkle_tree import leaf_hash
from ops.tamper_evidence.signed_notes import SigningKey
from ops.tamper_evidence.stream_tree import StreamHead, StreamTree
from ops.testing.sealed_logs import BEGIN, checkpoint_of, hashes_of, streams_of

KEY: Final = SigningKey("fleetlog", Ed25519PrivateKey.from_private_bytes(b"test vectors, not a secret key!!"))
OTHER_KEY: Final = SigningKey("fleetlog", Ed25519PrivateKey.from_private_bytes(bytes(32)))
STREAMS: Final = ("driver:EMP-1", "horse:HRS-1", "driver:EMP-2", 'location:Köln \U0001f69b\x7f\n"\\', "alone")
_REASON: Final = 'the disk was lost \u2013 \U0001f69b \x00\x7f\t"quoted"'
_SELECTED: Final = 8
Bundle = dict[str, Any]


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


def bundle_of(rows: list[LogRow], stream: str, checkpoint: Checkpoint | None = None) -> str:
    """Return the bundle of a stream's history."""
    history = [row for row in rows if row.originator_id == stream]
    sealed = checkpoint or _checkpoint(rows)
    return make_bundle(history, hashes_of(rows), streams_of(rows), sealed, KEY)


def valid_bundles() -> dict[str, str]:
    """Return valid bundles by name."""
    rows, one = log_of(23), log_of(1)
    texts = {f"stream-{number}": bundle_of(rows, stream) for number, stream in enumerate(STREAMS, start=1)}
    begun = SealingRestart(20, bytes(range(32)), 16, BEGIN, _REASON)
    unknown = SealingRestart(0, b"", 0, BEGIN, "")
    restarted = replace(_checkpoint(rows), accesses=AccessHead(7, bytes(32)), restarts=(unknown, begun))
    opened = json.loads(bundle_of(rows, STREAMS[0]))
    opened["opened"] = [{"position": opened["events"][0]["position"], "event": {"a": [1.5, -1e9, None]}}]
    note, signatures = _checkpoint(rows).signed(KEY).rsplit("\n\n", 1)
    witnessed = json.loads(texts["stream-1"]) | {
        "checkpoint": f"{note}\n\n\N{EM DASH} witness AAAAAAAA\n{signatures}"
    }
    return {
        **texts,
        "first-event": bundle_of(one, one[0].originator_id),
        "restarts": bundle_of(rows, STREAMS[1], restarted),
        "opened": json.dumps(opened),
        "witnessed": json.dumps(witnessed),
        "other-space": json.dumps(json.loads(texts["stream-2"]), indent=7, separators=(" ,", " : ")),
    }


def refused_bundles() -> dict[str, str]:
    """Return bundles that must be refused, by name: each differs in one way from a valid one."""
    found = {name: text for original in STREAMS[:2] for name, text in _changed(original)} | _signed_falsely()
    return {f"{number:03}-{name}": text for number, (name, text) in enumerate(found.items(), start=1)}


def _changed(stream: str) -> Iterator[tuple[str, str]]:
    rows, kind = log_of(23), stream.partition(":")[0]
    text = bundle_of(rows, stream)
    bundle, other = json.loads(text), json.loads(bundle_of(rows, STREAMS[2]))
    earlier = json.loads(bundle_of(log_of(22), stream))
    events, last = bundle["events"], bundle["last"]

    def changed(**members: Any) -> str:
        return json.dumps(bundle | members)

    for number, event in enumerate(events):
        at = f"{kind}-event-{number + 1}"
        before, after = events[:number], events[number + 1 :]
        yield f"{at}-dropped", changed(events=[*before, *after])
        yield f"{at}-twice", changed(events=[*before, event, event, *after])
        for name, members in _changed_events(event).items():
            yield f"{at}-{name}", changed(events=[*before, event | members, *after])
    for name, members in {
        "reordered": {"events": events[::-1]},
        "no-events": {"events": []},
        "cut-with-older-proof": {"events": events[:-1], "last": earlier["last"]},
        "older-checkpoint": {"checkpoint": earlier["checkpoint"]},
        "others-proof": {"last": other["last"]},
        "others-events": {"events": other["events"]},
        "last-cut": {"last": last[:-1]},
        "last-longer": {"last": [*last, "00" * 32]},
        "last-reordered": {"last": last[::-1]},
        "last-too-long": {"last": ["00" * 32] * 257},
        "comment": {"comment": "trust me"},
        "format": {"format": "fleetlog-history-bundle/1"},
        "opens-another": {"opened": [{"position": 99}]},
        "opened-no-list": {"opened": {"position": 1}},
    }.items():
        yield f"{kind}-{name}", changed(**members)
    for name, checkpoint in _changed_checkpoints(_checkpoint(rows)).items():
        yield f"{kind}-checkpoint-{name}", changed(checkpoint=checkpoint)
    for member in ("format", "checkpoint", "last", "events"):
        yield (
            f"{kind}-without-{member}",
            json.dumps({name: bundle[name] for name in bundle if name != member}),
        )
    first = '"originator_version": 1,'
    yield f"{kind}-name-twice", text.replace('"topic":', '"topic": "driver.removed", "topic":', 1)
    yield f"{kind}-cut-off", text[: len(text) // 2]
    yield f"{kind}-fraction", text.replace(first, first.replace("1", "1.0"), 1)
    yield f"{kind}-exponent", text.replace(first, first.replace("1", "1e0"), 1)
    yield f"{kind}-appended", text + "{}"
    yield f"{kind}-byte-order-mark", f"\ufeff{text}"
    yield f"{kind}-surrogate", changed(opened=[{"position": events[0]["position"], "event": "\ud800"}])
    yield f"{kind}-control", changed(opened=[]).replace("[]", '[{"position": "\t"}]')
    yield f"{kind}-nested", changed(opened=[]).replace('"opened": []', f'"opened": {"[" * 200}{"]" * 200}')


def _signed_falsely() -> dict[str, str]:
    """Return bundles whose checkpoint the key's holder has signed for something that is no history."""
    rows = log_of(23)
    own, other = (json.loads(bundle_of(rows, stream)) for stream in STREAMS[:2])
    mixed = own | {"events": [own["events"][0], other["events"][1], *own["events"][2:]]}
    swapped = [*rows]
    for at, version in ((3, 2), (7, 1)):
        swapped[at] = rows[at]._replace(originator_version=version)
    history = [row for row in swapped if row.originator_id == STREAMS[0]]
    history.sort(key=lambda row: row.originator_version)
    sealed = _checkpoint(swapped)
    four = log_of(4)
    second = log_of(2)[1:]
    event = second[0].as_json() | {"originator_version": 1, "position": 1, "proof": []}
    return {
        "another-streams-event-between": json.dumps(mixed),
        "positions-descend": make_bundle(history, hashes_of(swapped), streams_of(swapped), sealed, KEY),
        "proof-too-short": _resized(four, 8),
        "proof-too-long": _resized(four, 2),
        "after-the-end": json.dumps(
            {
                "format": FORMAT,
                "checkpoint": replace(_checkpoint(second), size=1).signed(KEY),
                "last": [],
                "events": [second[0].as_json() | {"proof": []}],
            }
        ),
        **{
            f"signed-{name}": _alone(event | {member: value})
            for name, member, value in (
                ("spare-bits", "state", "e31="),
                ("no-padding", "state", "e30"),
                ("no-base64", "state", "?"),
                ("no-such-day", "moment", "2026-02-30T00:00:00.000000+00:00"),
                ("three-digits", "moment", "2026-11-21T00:00:00.000+00:00"),
                ("moment-zone", "moment", "2026-11-21T00:00:00.000000Z"),
                ("capitals", "command_id", "0000000A-0000-0000-0000-00000000000A"),
                ("no-uuid", "command_id", "1"),
                ("version-0", "originator_version", 0),
            )
        },
    }


def _resized(rows: list[LogRow], size: int) -> str:
    """Return a bundle of the first event whose checkpoint has another size than its tree."""
    sealed = replace(_checkpoint(rows), size=size, streams=streams_of(rows[:1]).root)
    return make_bundle(rows[:1], hashes_of(rows), streams_of(rows[:1]), sealed, KEY)


def _alone(event: Bundle) -> str:
    """Return a bundle of an event that is the log's only one."""
    tree = StreamTree()
    tree.update([StreamHead(event["originator_id"], event["originator_version"], 1)])
    leaf = leaf_hash(leaf_of({name: value for name, value in event.items() if name != "proof"}))
    sealed = Checkpoint("fleetlog/0123", 1, leaf, 0, BEGIN, tree.root)
    return json.dumps({"format": FORMAT, "checkpoint": sealed.signed(KEY), "last": [], "events": [event]})


def _changed_events(event: Bundle) -> dict[str, Bundle]:
    proof, moment = event["proof"], event["moment"]
    return {
        "stream": {"originator_id": STREAMS[2]},
        "version": {"originator_version": event["originator_version"] + 1},
        "position": {"position": event["position"] + 1},
        "topic": {"topic": "driver.removed"},
        "state": {"state": "e30=" if event["state"] != "e30=" else ""},
        "backdated": {"moment": "2026-11-20" + moment[10:]},
        "command": {"command_id": None if event["command_id"] else str(UUID(int=1))},
        "proof-cut": {"proof": proof[:-1]},
        "proof-longer": {"proof": [*proof, "00" * 32]},
        "proof-changed": {"proof": ["00" * 32, *proof[1:]]},
        "proof-capitals": {"proof": [node.upper() for node in proof]},
        "moment-zone": {"moment": moment.replace("+00:00", "Z")},
        "number-as-text": {"position": str(event["position"])},
        "more": {"comment": "trust me"},
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
        "size-of-64-bits": replace(sealed, size=1 << 63).signed(KEY),
        "accesses-of-31-bytes": replace(sealed, accesses=AccessHead(1, bytes(31))).signed(KEY),
        "accesses-of-64-bits": replace(sealed, accesses=AccessHead(1 << 63, bytes(32))).signed(KEY),
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


def _checkpoint(rows: list[LogRow]) -> Checkpoint:
    return replace(checkpoint_of(rows), moment=BEGIN + timedelta(days=1))


def write(folder: Path) -> None:
    """Write the valid bundles, and a selection of the others."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "public-key").write_text(f"{KEY.verifying_key}\n")
    for name, text in valid_bundles().items():
        (folder / f"valid-{name}.json").write_text(text)
    for name, text in [*refused_bundles().items()][::_SELECTED]:
        (folder / f"refused-{name}.json").write_text(text)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
