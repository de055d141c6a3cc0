"""What measurements add up to."""

from ops.development.benchmarks.measuring import Aim, is_met
from ops.development.benchmarks.samples import Sample, Summary


def test_a_summary_has_the_median_rate_and_percentiles_of_all_answers() -> None:
    slow = Sample(seconds=1, latencies=[1000] * 98 + [9000] * 2)
    fast = Sample(seconds=0.5, latencies=[2000] * 100)
    summary = Summary.of([slow, fast, fast])
    assert (summary.rate, summary.answers) == (200, 300)
    assert (summary.p50, summary.p99) == (2.0, 2.0)
    assert Summary.of([slow]).p99 == 9.0


def test_without_an_answer_there_is_no_percentile() -> None:
    summary = Summary.of([Sample(seconds=1, errors=3)])
    assert (summary.rate, summary.p50, summary.p99, summary.errors) == (0, None, None, 3)


def test_an_aim_is_met_only_where_nothing_went_wrong() -> None:
    good = Summary.of([Sample(seconds=1, latencies=[1000] * 10)])
    aim = Aim(ratio=0.5, p99=20, no_missed=True)
    assert is_met(aim, good, 0.5)
    assert not is_met(aim, good, 0.49)
    assert not is_met(aim, good, None)
    assert not is_met(aim, Summary.of([Sample(seconds=1, latencies=[1000], missed=1)]), 1)
    assert not is_met(aim, Summary.of([Sample(seconds=1, latencies=[1000], errors=1)]), 1)
    assert not is_met(aim, Summary.of([Sample(seconds=1, latencies=[30_000])]), 1)
