"""The recorder records each view once and in order."""

import asyncio
import json
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.base.access_log import recorder as recorder_module
from ops.base.access_log.recorder import BATCH_ENTRIES, Recorder, recording
from ops.base.access_log.views import PersonalView, batch_of
from ops.base.http.problems import Problem
from ops.testing.conditions import wait_until


class Kept:
    """Stores each batch once, like the database, with failures in between."""

    def __init__(self, *, troubles: Iterable[str] = ()) -> None:
        self.batches: dict[uuid.UUID, list[int]] = {}
        self.is_away = False
        self._troubles = list(troubles)

    @property
    def entries(self) -> list[int]:
        return [entry for batch in self.batches.values() for entry in batch]

    async def write(self, batch_id: uuid.UUID, batch: bytes) -> None:
        entries = [rest for _, _, rest in json.loads(batch)["views"]]
        trouble = self._troubles.pop(0) if self._troubles else ""
        await asyncio.sleep(0)
        if self.is_away or trouble == "refused":
            raise ConnectionError
        assert self.batches.setdefault(batch_id, entries) == entries
        if trouble == "answer lost":
            raise TimeoutError


@pytest.fixture(autouse=True, scope="module")
def _hurried() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder_module, "BATCH_SECONDS", 0)
        patch.setattr(recorder_module, "RETRY_SECONDS", 0)
        yield


def recorder_of(kept: Kept, **more: Any) -> Recorder:
    return Recorder(kept.write, **more)


def entries_of(numbers: Iterable[int]) -> Iterable[PersonalView]:
    return (view(number) for number in numbers)


def view(number: int, who: int = 0, what: int = 0) -> PersonalView:
    return PersonalView(b'"driver:%d"' % number, b'{"sub":%d}' % who, b'{"kind":%d}' % what, b"%d" % number)


@given(
    st.lists(st.integers(0, 700), max_size=6),
    st.lists(st.sampled_from(["refused", "answer lost", ""]), max_size=12),
)
def test_views_are_recorded_once_and_in_order(counts: list[int], troubles: list[str]) -> None:
    kept = Kept(troubles=troubles)

    async def record() -> None:
        recorder = recorder_of(kept)
        task = asyncio.create_task(recorder.run())
        number = 0
        for count in counts:
            for entry in entries_of(range(number, number + count)):
                recorder.add(entry)
            number += count
            await asyncio.sleep(0)
        recorder.close()
        await task
        assert recorder.waiting == 0

    asyncio.run(record())
    assert kept.entries == list(range(sum(counts)))
    assert all(0 < len(batch) <= BATCH_ENTRIES for batch in kept.batches.values())


async def test_concurrent_views_form_one_batch() -> None:
    kept = Kept()
    async with recording(kept.write) as recorder:
        for entry in entries_of(range(300)):
            recorder.add(entry)
    assert len(kept.batches) == 1


@pytest.mark.parametrize("bound", [{"most_entries": 10}, {"most_bytes": 10 * view(0).size}])
async def test_full_queue_refuses_views(bound: dict[str, float]) -> None:
    kept = Kept()
    kept.is_away = True
    recorder = recorder_of(kept, **bound)
    task = asyncio.create_task(recorder.run())
    for entry in entries_of(range(10)):
        recorder.add(entry)
    for _ in range(3):
        with pytest.raises(Problem) as refusal:
            recorder.add(view(0))
        assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "5"})
    assert recorder.waiting == 10  # also those that are being written: they may not have been
    kept.is_away = False
    await wait_until(lambda: recorder.waiting == 0)
    recorder.add(view(1))
    recorder.close()
    await task
    assert kept.entries == [*range(10), 1]


async def test_shutdown_does_not_wait_for_ever(capsys: pytest.CaptureFixture[str]) -> None:
    kept = Kept()
    kept.is_away = True
    async with recording(kept.write, end_seconds=0) as recorder:
        recorder.add(view(1))
    assert "views_lost" in capsys.readouterr().out


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20))
def test_batch_contains_each_view(views: list[tuple[int, int]]) -> None:
    batch = json.loads(batch_of([view(number, *one) for number, one in enumerate(views)]))
    assert [
        (batch["who"][who]["sub"], batch["what"][what]["kind"], number)
        for who, what, number in batch["views"]
    ] == [(*one, number) for number, one in enumerate(views)]
    assert batch["subjects"] == [f"driver:{number}" for number in range(len(views))]
    assert len(batch["who"]) == len({who for who, _ in views})
