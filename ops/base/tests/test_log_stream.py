"""Logging on a full disk, to a closed pipe, and without a stderr: no call raises, and losses are counted."""

import json
import os
import subprocess
import sys
from typing import IO

import pytest

LOGGING = r"""
import logging, sys, structlog
from prometheus_client import REGISTRY
from ops.base.observability.log_stream import LogStream
from ops.base.observability.telemetry import configure_logging, log_request
configure_logging("test", "json")

class Unprintable:
    def __repr__(self):
        raise ValueError

structlog.get_logger().warning("event", error="OSError")
try:
    raise OSError(28, "full")
except OSError:
    structlog.get_logger().exception("event")
logging.getLogger("library").error("message")
log_request("GET", "/", 200, 0.1)
print("printed", file=sys.stderr, flush=True)
structlog.get_logger().info("event", value=Unprintable())
print(REGISTRY.get_sample_value("fleetlog_log_lines_lost_total"))
"""


def run(program: str, stderr: int | IO[bytes]) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, stderr=stderr, text=True
    ).stdout


def test_no_call_raises_on_a_full_disk() -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        assert float(run(LOGGING, full)) >= 6


def test_no_call_raises_on_a_closed_pipe() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    assert float(run(LOGGING, writing)) >= 6
    os.close(writing)


def test_only_a_value_that_cannot_be_formatted_is_lost_where_there_is_room() -> None:
    assert float(run(LOGGING, subprocess.DEVNULL)) == 1


def test_a_process_without_stderr_logs_nowhere() -> None:
    without = f"import os, sys\nos.close(2)\nsys.stderr = None\n{LOGGING}"
    assert float(run(without, subprocess.DEVNULL)) == 1


TORN = r"""
import resource, sys
from ops.base.observability.log_stream import LogStream
stream = LogStream(2, lambda: print("lost"))
stream.write('{"first": 1}\n')
resource.setrlimit(resource.RLIMIT_FSIZE, (20, resource.RLIM_INFINITY))
stream.write('{"second": 2}\n')
assert stream.is_losing
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
stream.write('{"third": 3}\n')
assert not stream.is_losing
assert stream.lost == 1
"""


def test_partly_written_line_is_ended(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    log = tmp_path_factory.mktemp("log") / "log"
    with log.open("wb") as stderr:
        assert run(TORN, stderr) == "lost\n"
    first, torn, third = log.read_text().splitlines()
    assert (json.loads(first), json.loads(third)) == ({"first": 1}, {"third": 3})
    assert '{"second": 2}'.startswith(torn)
