"""How samples add up to the figures that are printed."""

from ops.development.benchmarks.load import Sample
from ops.development.benchmarks.results import row_of


def test_row_has_median_rate_and_percentiles() -> None:
    slow = Sample(seconds=1, latencies=[1000] * 98 + [9000] * 2)
    fast = Sample(seconds=0.5, latencies=[2000] * 100)
    row = row_of("one", 1, [slow, fast, fast])
    assert (row.rate, row.answers) == (200, 300)
    assert (row.p50, row.p99) == (2.0, 2.0)
    assert row_of("one", 1, [slow]).p99 == 9.0


def test_a_row_without_answers_has_no_percentiles() -> None:
    row = row_of("one", 1, [Sample(seconds=1, errors=3)])
    assert (row.rate, row.p50, row.p99, row.errors) == (0, None, None, 3)


def test_the_ratio_is_the_median_of_the_ratios_of_rounds() -> None:
    rounds = [(100, 100), (100, 200), (10, 1000)]
    subjects = [Sample(seconds=1, latencies=[1] * rate) for rate, _ in rounds]
    floors = [Sample(seconds=1, latencies=[1] * rate) for _, rate in rounds]
    assert row_of("one", 1, subjects, floors).ratio == 0.5
