"""`./fleetlog bench`: rates, latencies and costs of the product, compared with the limits of the machine."""

from collections.abc import Callable

from ops.development.benchmarks.instance import running_instance_of_bench
from ops.development.benchmarks.load import LoadGenerator
from ops.development.benchmarks.measurements import MEASUREMENTS, Bench, Plan
from ops.development.benchmarks.results import ResultRow
from ops.development.benchmarks.workload import Workload


def run(plan: Plan, step: Callable[[str], None]) -> list[ResultRow]:
    """Measure on an instance of the benchmark's own."""
    step("starting an instance")
    with running_instance_of_bench() as instance, LoadGenerator() as generator:
        step("filling it")
        workload = Workload(instance, generator, horses=plan.horses, drivers=plan.drivers)
        workload.fill()
        bench = Bench(instance, generator, workload, plan, step)
        return [
            row
            for name, measure in MEASUREMENTS.items()
            if not plan.only or name in plan.only
            for row in measure(bench)
        ]
