"""What growing costs: processor time of commands, bytes of events, hours of rebuilds."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psutil
import psycopg

from ops.launcher.benchmarks.comparisons import Catalogue
from ops.launcher.benchmarks.filling import Filling
from ops.launcher.benchmarks.instance import Instance
from ops.launcher.benchmarks.load import LoadGenerator
from ops.launcher.benchmarks.measuring import Row, measure
from ops.launcher.benchmarks.report import Step
from ops.launcher.benchmarks.samples import Sample, Summary
from ops.launcher.benchmarks.subjects import Rebuild, Subject

REBUILT: Final = ("horses", "revisions")
_PARTS: Final = ("command-api", "projections", "postgres")
"""Where a command is worked on."""
_CONNECTIONS: Final = 8
_MANY_CONNECTIONS: Final = 32
_SECONDS: Final = 5.0
_MILLION: Final = 1_000_000
_TABLES: Final = {
    "the log": "'log.events'::regclass",
    "revisions": "'read.revisions'::regclass",
    "a million drivers": "'read.drivers'::regclass",
}


def run(
    instance: Instance, filling: Filling, catalogue: Catalogue, step: Step, *, seconds: float, rounds: int
) -> list[Row]:
    """Measure on an instance whose log is as long as it is to be.

    Args:
        instance: what is measured.
        filling: counts its events.
        catalogue: the instance's.
        step: shows progress.
        seconds: of each measurement of two command APIs beside one.
        rounds: how often these two take turns.

    Raises:
        LauncherError: a rebuild failed.
    """
    stored = _stored(instance)
    step("growth: commands", 0, 1)
    rows = [_commands(instance, filling, catalogue.make("create").subject, step), stored]
    step("growth: two command APIs", 0, 1)
    with instance.second_command_api() as port, LoadGenerator() as second:
        rows.append(
            measure(
                catalogue.two_command_apis(port, second),
                connections=_MANY_CONNECTIONS,
                seconds=seconds,
                rounds=rounds,
                on_round=lambda: None,
            )
        )
    filling.wait_until_projected(lambda done, total: step("growth: catching up", done, total))
    for name in REBUILT:
        step(f"growth: rebuild {name}", 0, 1)
        events, seconds = Rebuild(instance.command("projections", "rebuild", name), filling.events).measure()
        hours = {count: count * _MILLION / (events / seconds) / 3600 for count in (1, 10, 100)}
        output = ", ".join(f"{count} million {_time(hour)}" for count, hour in hours.items())
        summary = Summary(events / seconds, None, None, events, 0, 0)
        rows.append(
            _row(f"growth-{name}", 1, summary, f"{events} took {seconds:.0f} s; extrapolated: {output}")
        )
    return rows


def _commands(instance: Instance, filling: Filling, creating: Subject, step: Step) -> Row:
    before = filling.events()
    with _processor_seconds(instance) as spent:
        sample = creating.measure(_CONNECTIONS, _SECONDS)
        filling.wait_until_projected(lambda done, total: step("growth: catching up", done, total))
    thousands = (filling.events() - before) / 1000
    output = ", ".join(f"{part} {seconds / thousands:.2f} s" for part, seconds in spent.items())
    total = sum(spent.values()) / thousands
    return _row(
        "growth-commands",
        _CONNECTIONS,
        Summary.of([sample]),
        f"1,000 registrations cost {total:.2f} s of a processor: {output}",
    )


def _stored(instance: Instance) -> Row:
    with psycopg.connect(instance.owner_dsn) as connection:

        def number(query: str) -> int:
            ((value,),) = connection.execute(query).fetchall()
            return int(value)

        events = number("SELECT position FROM log.head")
        drivers = number("SELECT count(*) FROM read.drivers")
        sizes = {name: number(f"SELECT pg_total_relation_size({table})") for name, table in _TABLES.items()}
    counts = {"the log": events, "revisions": events, "a million drivers": drivers}
    output = ", ".join(
        f"{name} {size / counts[name] * _MILLION / 1e9:.2f} GB" for name, size in sizes.items()
    )
    summary = Summary.of([Sample(seconds=0.0)])
    return _row("growth-storage", 1, summary, f"a million events take, with indexes: {output}")


@contextmanager
def _processor_seconds(instance: Instance) -> Iterator[dict[str, float]]:
    """Give the processor seconds that each part has spent, once the context has ended."""
    spent: dict[str, float] = {}
    before = {part: _seconds_of(instance.pid(part)) for part in _PARTS}
    yield spent
    spent |= {part: _seconds_of(instance.pid(part)) - before[part] for part in _PARTS}


def _seconds_of(pid: int) -> float:
    """Of a process and its children, who live as long as it does."""
    process = psutil.Process(pid)
    times = [one.cpu_times() for one in (process, *process.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def _time(hours: float) -> str:
    return f"{hours:.1f} h" if hours >= 1 else f"{hours * 60:.0f} min"


def _row(name: str, connections: int, summary: Summary, note: str) -> Row:
    return Row(name, connections, summary, None, "", None, "", None, note=note)
