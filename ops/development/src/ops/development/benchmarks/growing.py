"""What growing costs: bytes of events, hours of rebuilds; and what a second command API brings."""

from typing import Final

from ops.development.benchmarks.comparisons import Catalogue
from ops.development.benchmarks.filling import Filling
from ops.development.benchmarks.instance import Instance
from ops.development.benchmarks.measuring import Row, Step, measure
from ops.development.benchmarks.samples import Summary
from ops.development.benchmarks.subjects import LoadGenerator

REBUILT: Final = ("horses", "revisions")
_CONNECTIONS: Final = 32
_MILLION: Final = 1_000_000
_TABLES: Final = {
    "the log": "log.events",
    "revisions": "read.revisions",
    "a million drivers": "read.drivers",
}


def run(
    instance: Instance, filling: Filling, catalogue: Catalogue, step: Step, *, seconds: float, rounds: int
) -> list[Row]:
    """Measure on an instance whose log is as long as it is to be.

    Args:
        instance: what is measured.
        filling: waits until its events are projected.
        catalogue: the instance's.
        step: shows progress.
        seconds: of each measurement of two command APIs beside one.
        rounds: how often these two take turns.

    Raises:
        LauncherError: a rebuild failed.
    """
    rows = [_stored(instance)]
    with instance.second_command_api() as port, LoadGenerator() as second:
        apis = catalogue.two_command_apis(port, second)
        rows += measure(apis, step, seconds=seconds, rounds=rounds, on=(_CONNECTIONS,))
    filling.wait_until_projected("growth: catching up", step)
    for name in REBUILT:
        step(f"growth: rebuild {name}")
        events = instance.events
        seconds, _ = instance.run("projections", "rebuild", name)
        hours = {count: count * _MILLION / (events / seconds) / 3600 for count in (1, 10, 100)}
        output = ", ".join(f"{count} million {_time(hour)}" for count, hour in hours.items())
        note = f"{events} took {seconds:.0f} s; extrapolated: {output}"
        rows.append(Row(f"growth-{name}", Summary.at(events, seconds), note=note))
    return rows


def _stored(instance: Instance) -> Row:
    drivers = instance.ask("SELECT count(*) FROM read.drivers")
    counts = {"the log": instance.events, "revisions": instance.events, "a million drivers": drivers}
    sizes = {
        name: instance.ask("SELECT pg_total_relation_size(%s::regclass)", table)
        for name, table in _TABLES.items()
    }
    output = ", ".join(
        f"{name} {size / counts[name] * _MILLION / 1e9:.2f} GB" for name, size in sizes.items()
    )
    return Row("growth-storage", Summary(), note=f"a million events take, with indexes: {output}")


def _time(hours: float) -> str:
    return f"{hours:.1f} h" if hours >= 1 else f"{hours * 60:.0f} min"
