"""Samples of a process's requests, by step."""

import pytest
import time_machine

from ops.base.process import sampling
from ops.base.process.sampling import BUCKETS, STEP_SECONDS, Samples, count_request, samples_of


def test_stored_steps_are_dropped_except_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MOST_STEPS", 3)
    samples = Samples()
    with time_machine.travel(10 * STEP_SECONDS, tick=False) as clock:
        samples.count("GET", "/a", 200, 0.003)
        samples.drop([*samples.steps])
        samples.count("GET", "/a", 200, 0.003)
        assert [(step, sample.reads) for step, sample in samples.steps.items()] == [(3000, 2)]
        for _ in range(3):
            clock.shift(STEP_SECONDS)
            samples.current()
        assert [*samples.steps] == [3300, 3600, 3900]  # a database that is away accepts no older ones
        stored = [*samples.steps]
        clock.shift(STEP_SECONDS)
        samples.current()
        samples.drop(stored[1:])
        assert [*samples.steps] == [3900, 4200]  # more may have been counted in 3900 since


def test_requests_are_counted_by_method_status_and_duration() -> None:
    answered = (("POST", "/a", 201), ("GET", "/a", 200), ("GET", "/a", 404), ("HEAD", "/a", 503))
    for method, route, status in (*answered, ("GET", "/api/v1/events", 200)):
        count_request("sampled", method, route, status, 0.003)
    count_request("sampled", "GET", "/a", 200, 60.0)
    commands, reads, refusals, errors, buckets = samples_of("sampled").current().columns()
    assert (commands, reads, refusals, errors) == (1, 5, 2, 1)
    assert (buckets[0], *buckets[-2:]) == (0, 4, 5)  # a stream lasts as long as its client likes
    assert samples_of("another").current().columns() == (0, 0, 0, 0, [0] * BUCKETS)
