"""Log lines as machines read them."""

import json
import subprocess
import sys
from typing import Any

_SCRIPT = r"""
import logging, structlog
from ops.base.observability.telemetry import LOG_CONTEXT, configure_logging
configure_logging("test", "json")
logger = structlog.get_logger()
token = LOG_CONTEXT.set({"request_id": "1"})
logger.info("said", text="naïve \udcff", number=float("inf"), what=object)
logger.info("said", request_id="its own")
logging.getLogger("elsewhere").warning("reported")
LOG_CONTEXT.reset(token)
logger.info("said")
"""


def test_lines_are_ascii_json_with_context() -> None:
    ran = subprocess.run([sys.executable, "-c", _SCRIPT], check=True, capture_output=True)
    lines: list[dict[str, Any]] = [json.loads(line) for line in ran.stderr.decode("ascii").splitlines()]
    assert [line.get("request_id") for line in lines] == ["1", "its own", "1", None]
    assert (lines[0]["text"], lines[0]["number"]) == ("naïve \udcff", float("inf"))
    assert lines[0]["what"] == "<class 'object'>"
    assert {line["service"] for line in lines} == {"test"}


_FAILURES = r"""
import asyncio, gc, structlog
from ops.base.observability.telemetry import configure_logging
configure_logging("test", "json")

def fail():
    try:
        raise ValueError("personal")
    except ValueError as error:
        error.add_note("personal")
        raise ExceptionGroup("personal", [KeyError("personal")]) from error

async def unwatched():
    task = asyncio.create_task(asyncio.to_thread(fail))
    await asyncio.wait({task})
    del task
    gc.collect()

try:
    fail()
except ExceptionGroup:
    structlog.get_logger().exception("failed")
asyncio.run(unwatched())
"""


def test_an_exception_is_logged_with_its_place_and_without_its_message() -> None:
    ran = subprocess.run([sys.executable, "-c", _FAILURES], check=True, capture_output=True)
    output = ran.stderr.decode("ascii")
    lines: list[dict[str, Any]] = [json.loads(line) for line in output.splitlines()]
    assert [line["event"] for line in lines] == ["failed", "Task exception was never retrieved"]
    for line in lines:
        group, cause = line["exception"]
        assert (group["exc_type"], cause["exc_type"]) == ("ExceptionGroup", "ValueError")
        assert group["exceptions"][0][0]["exc_type"] == "KeyError"
        assert cause["frames"][-1]["name"] == "fail"
    assert "personal" not in output


_REQUESTS = r"""
import structlog
from ops.base.observability.telemetry import LOG_CONTEXT, configure_logging, log_request
configure_logging("test", "json")
LOG_CONTEXT.set({"request_id": "1", "client_request_id": "mine"})
log_request("GET", "/api/v1/drivers/{entity_id}", 200, 0.0123)
structlog.get_logger().info(
    "request", method="GET", route="/api/v1/drivers/{entity_id}", status=200, ms=12.3
)
"""


def test_request_line_has_the_format_of_other_lines() -> None:
    ran = subprocess.run([sys.executable, "-c", _REQUESTS], check=True, capture_output=True)
    of_request, usual = (json.loads(line) for line in ran.stderr.decode("ascii").splitlines())
    moments = [line.pop("timestamp") for line in (of_request, usual)]
    assert of_request == usual
    assert [len(moment) for moment in moments] == [27, 27]
