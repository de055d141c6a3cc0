"""`python -m ops.launcher.doctor`: the service `doctor` of `compose.yaml`, which checks its containers."""

import argparse
import sys

from ops.launcher.doctor.containers import checks_of_containers
from ops.launcher.doctor.runner import add_doctor_arguments, run_doctor


def main() -> int:
    """Run the checks and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="doctor", description="Find faults of the services, and the commands that fix them."
    )
    add_doctor_arguments(parser)
    return run_doctor(parser.parse_args(), checks_of_containers())


if __name__ == "__main__":
    sys.exit(main())
