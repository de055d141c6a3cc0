"""What a process has answered, taken apart into steps."""

from ops.base.process.sampling import (
    BUCKETS,
    NOTHING,
    STEP_SECONDS,
    Counts,
    Sampler,
    count_request,
    counts_of,
)


def test_steps_are_told_apart_and_kept_until_they_are_taken() -> None:
    counted, now = NOTHING, 10.0 * STEP_SECONDS
    sampler = Sampler(lambda: counted, lambda: now)
    first, second = 10 * STEP_SECONDS, 11 * STEP_SECONDS
    counted = Counts(3, 5, 1, 0, (8,) * BUCKETS)
    sampler.look()
    sampler.take((first,))
    assert sampler.waiting == {first: counted}  # it goes on
    counted = Counts(4, 5, 1, 0, (9,) * BUCKETS)
    sampler.look()
    now += STEP_SECONDS
    counted = Counts(6, 7, 1, 1, (13,) * BUCKETS)
    sampler.look()
    assert sampler.waiting == {
        first: Counts(4, 5, 1, 0, (9,) * BUCKETS),
        second: Counts(2, 2, 0, 1, (4,) * BUCKETS),
    }
    sampler.take((first, second))
    assert [*sampler.waiting] == [second]


def test_only_so_many_steps_wait_for_a_database_that_is_away() -> None:
    now = 0.0
    sampler = Sampler(lambda: NOTHING, lambda: now, most=3)
    for step in range(5):
        now = float(step * STEP_SECONDS)
        sampler.look()
    assert [*sampler.waiting] == [2 * STEP_SECONDS, 3 * STEP_SECONDS, 4 * STEP_SECONDS]


def test_requests_are_counted_by_what_they_were_and_what_became_of_them() -> None:
    answered = (("POST", "/a", 201), ("GET", "/a", 200), ("GET", "/a", 404), ("HEAD", "/a", 503))
    for method, route, status in (*answered, ("GET", "/api/v1/events", 200)):
        count_request("sampled", method, route, status, 0.003)
    commands, reads, refusals, errors, buckets = counts_of("sampled")
    assert (commands, reads, refusals, errors) == (1, 4, 2, 1)
    assert (buckets[0], buckets[-1]) == (0, 4)  # a stream lasts as long as its client likes
    assert counts_of("another") == NOTHING
