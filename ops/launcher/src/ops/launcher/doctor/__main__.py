"""`python -m ops.launcher.doctor`: look at the containers of `compose.yaml`, from one of them.

It is the service `doctor` there: `docker compose run --rm doctor`.
"""

import argparse
import sys

from ops.launcher.doctor.containers import looks_at_containers
from ops.launcher.doctor.running import add_doctor_arguments, run_doctor


def main() -> int:
    """Look, and return the exit status."""
    parser = argparse.ArgumentParser(prog="doctor", description="Say what is wrong, and what to type.")
    add_doctor_arguments(parser)
    return run_doctor(parser.parse_args(), looks_at_containers())


if __name__ == "__main__":
    sys.exit(main())
