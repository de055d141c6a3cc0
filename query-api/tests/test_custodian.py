"""Checkpoints for custodians, and proofs that one extends another."""

from pathlib import Path

import httpx
import pytest
from projections_testing.sealed_data import KEY, append, endless_events, seal
from query_api_testing.served import AUDIT, FollowedFleet

from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.proof_checks import BadProof, check_proof
from ops.testing.postgres import Database

CHECKPOINTS = f"{AUDIT}/checkpoints"
CONSISTENCY = f"{AUDIT}/consistency"


async def test_each_checkpoint_extends_the_earlier_ones(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database, tmp_path: Path
) -> None:
    empty = await client.get(f"{CHECKPOINTS}/latest")
    assert (empty.status_code, empty.headers["retry-after"]) == (409, "60")
    append(database.command, endless_events(), number=3000)
    await seal(database.sealer, tmp_path, every=600, up_to=3000)
    key = KEY.verifying_key
    latest = await client.get(f"{CHECKPOINTS}/latest")
    assert latest.headers["content-type"] == "text/plain; charset=utf-8"
    last = Checkpoint.from_note(latest.text, key)
    page = (await client.get(CHECKPOINTS, params={"after": 600})).json()
    assert ([one["size"] for one in page["content"]], page["next"]) == ([1200, 1800, 2400, 3000], None)
    assert page["content"][-1]["note"] == latest.text
    for start, end in ((600, 1200), (1200, 2400), (600, 3000)):
        answer = await client.get(CONSISTENCY, params={"from": start, "to": end})
        proven = check_proof(answer.content.splitlines(keepends=True), key, [last] if end == 3000 else [])
        assert proven.start is not None
        assert (proven.start.size, proven.end.size, proven.events) == (start, end, 0)
        assert answer.headers["content-type"] == "application/x-ndjson"
    fleet.connection.execute("UPDATE audit.subtrees SET root = sha256(root)")
    answer = await client.get(CONSISTENCY, params={"from": 600, "to": 3000})
    with pytest.raises(BadProof):
        check_proof(answer.content.splitlines(keepends=True), key)
    fleet.connection.execute("DELETE FROM audit.subtrees")
    answer = await client.get(CONSISTENCY, params={"from": 600, "to": 3000})
    check_proof(answer.content.splitlines(keepends=True), key)


async def test_unknown_and_reversed_sizes_are_refused(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database, tmp_path: Path
) -> None:
    fleet.register("driver", "EMP-1")
    await seal(database.sealer, tmp_path, every=1, up_to=1)
    answer = await client.get(CONSISTENCY, params={"from": 1, "to": 2})
    assert (answer.status_code, answer.json()["detail"]) == (404, "There is no checkpoint of 2 events.")
    answer = await client.get(CONSISTENCY, params={"from": 2, "to": 1})
    assert (answer.status_code, answer.json()["validation_errors"][0]["field"]) == (422, "to")
