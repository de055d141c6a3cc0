"""`./fleetlog bench`: measure the product on an instance of its own."""

import argparse
from pathlib import Path

from ops.development import benchmarks
from ops.development.benchmarks import auditing, feeding, report
from ops.development.benchmarks.comparisons import NAMES


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too, for machines")
    parser.add_argument("--seconds", type=_seconds, default=1.0, help="of each measurement (default: 1)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is repeated (default: 3)")
    parser.add_argument(
        "--only", action="append", default=[], choices=NAMES, metavar="NAME",
        help=f"measure only this, may be repeated: {', '.join(NAMES)}",
    )  # fmt: skip
    parser.add_argument(
        "--events", type=int, default=100_000, help="how many events to rebuild from (default: 100000)"
    )
    parser.add_argument(
        "--audit-events",
        type=int,
        default=1_000_000,
        help="how many events auditors look through, besides 10000 (default: 1000000)",
    )
    parser.add_argument(
        "--drivers", type=int, default=1_000_000, help="how many a long list has (default: 1000000)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="try it out with little; its figures mean nothing"
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure, and print what was found; no figure makes it fail."""
    plan = benchmarks.Plan(
        only=arguments.only,
        seconds=arguments.seconds,
        rounds=max(1, arguments.rounds),
        events=arguments.events,
        audited=auditing.Sizes(events=sorted({10_000, max(10_000, arguments.audit_events)})),
        drivers=min(1_000_000, arguments.drivers),
    )
    if arguments.quick:
        plan = benchmarks.Plan(
            only=arguments.only,
            seconds=0.1,
            rounds=1,
            requests=("read one", "list of 10,000: 304", "update", "create"),
            short_list=20,
            long_list=100,
            events=1_000,
            relayed=500,
            relay_commands=5,
            audited=auditing.Sizes(events=(300, 1_500), entities=20, deep=50),
            drivers=1_000,
            feed=feeding.Sizes(commands=3, subscribers=20, idle_seconds=0.5),
        )
    with report.progress() as step:
        costs, rows = benchmarks.run(plan, step)
    by_floor = [[cost for cost in costs if bool(cost.ratios) == of_pairs] for of_pairs in (False, True)]
    tables = [*map(report.cost_table, filter(None, by_floor)), *([report.table(rows)] if rows else [])]
    print("\n\n".join(tables))
    if arguments.json:
        arguments.json.write_text(report.document(costs, rows))
    return 0


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 600:
        raise argparse.ArgumentTypeError("must be more than 0 and at most 600")
    return seconds
