"""`./fleetlog bench`: measure the product on an instance of its own."""

import argparse
from pathlib import Path

from ops.development.benchmarks.generator import generator
from ops.development.benchmarks.instance import running_instance_of_bench
from ops.development.benchmarks.measurements import MEASUREMENTS, Bench
from ops.development.benchmarks.results import document, tables
from ops.development.benchmarks.workload import Workload
from ops.launcher.messages import notify


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("--seconds", type=_seconds, default=1.0, help="per measurement (default: 1)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of subject and floor (default: 3)")
    parser.add_argument(
        "--only", action="append", default=[], choices=MEASUREMENTS, metavar="NAME",
        help=f"run only this, may be repeated: {', '.join(MEASUREMENTS)}",
    )  # fmt: skip
    parser.add_argument(
        "--request", action="append", default=[], metavar="NAME",
        help="measure only this request, such as 'create' or 'read one', may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--events", type=int, default=100_000, help="length of the log for rebuilds (default: 100000)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="rehearse with few records; the figures mean nothing"
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure and print the figures; no figure makes the command fail."""
    horses, drivers = 1_000, 10_000
    extent = {"seconds": arguments.seconds, "rounds": max(1, arguments.rounds), "events": arguments.events}
    if arguments.quick:
        horses, drivers = 20, 100
        extent = {"seconds": 0.1, "rounds": 1, "events": 1_000}
    notify("starting an instance")
    with running_instance_of_bench() as instance, generator() as process:
        notify("filling it")
        workload = Workload(instance, process, horses=horses, drivers=drivers)
        workload.fill()
        bench = Bench(instance, process, workload, arguments.request, **extent)
        wanted = [name for name in MEASUREMENTS if name in (arguments.only or MEASUREMENTS)]
        rows = [row for name in wanted for row in MEASUREMENTS[name](bench)]
    print(tables(rows))
    if arguments.json:
        arguments.json.write_text(document(rows))
    return 0


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 600:
        raise argparse.ArgumentTypeError("must be more than 0 and at most 600")
    return seconds
