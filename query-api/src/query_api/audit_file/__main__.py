"""`python -m query_api.audit_file`: make the file that standard input describes, on standard output."""

import asyncio
import os
import signal
import sys
import traceback

import structlog
from psycopg.types.json import set_json_loads
from pydantic_core import from_json

from ops.base.observability.telemetry import configure_logging
from ops.base.process.heap import make_full_collections_rare
from ops.base.process.resource_limits import forbid_core_dumps
from query_api.audit_file.job import JOB
from query_api.audit_file.making import make_file
from query_api.audit_file.workers import Workers

_NICENESS = 10


def main() -> int:
    """Make a file and return the exit code: 1 if the file is incomplete."""
    forbid_core_dumps()
    os.nice(_NICENESS)
    configure_logging("query-api")
    set_json_loads(from_json)  # five times as fast
    make_full_collections_rare()  # also in the workers
    job = JOB.validate_json(sys.stdin.buffer.read())
    try:
        workers = Workers(job)
        asyncio.run(make_file(job, workers, sys.stdout.buffer))
        sys.stdout.buffer.flush()
        workers.close()
    except Exception as error:  # noqa: BLE001 - without its message, which may quote personal data
        places = "".join(traceback.format_tb(error.__traceback__))
        structlog.get_logger().error("audit_file_failed", error=type(error).__name__, trace=places)
        os.killpg(0, signal.SIGKILL)  # also the workers
    return 0


if __name__ == "__main__":
    sys.exit(main())
