"""What the supervisor must know of a child."""

import http.client
import json
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ops.launcher.processes.backoff import LONGEST_SECONDS


@dataclass(frozen=True)
class Part:
    """One part of the running product: a program kept running.

    Attributes:
        name: short name, as in `status` and in the log's file name.
        command: its command line.
        environment: its whole environment.
        port: where it listens on 127.0.0.1.
        is_ready: whether it answers now; may block for a second or two.
        health: address of its readiness answer, if it has one.
        stop_order: parts of a lower number end first; those of one number together.
        stop_signal: what ends it cleanly.
        stop_seconds: how long that may take before it is killed.
        popen_options: for `subprocess.Popen`, such as the user to run as.
        descriptors: how many files and connections it may have open; None: as many as the launcher.
        longest_pause: the longest wait, in seconds, before it is started again.
        passing_failure: text in its log that makes a failed start worth another try soon.
    """

    name: str
    command: list[str]
    environment: Mapping[str, str]
    port: int
    is_ready: Callable[[], bool]
    health: str | None = None
    stop_order: int = 0
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 10.0
    popen_options: Mapping[str, Any] = field(default_factory=dict)
    descriptors: int | None = None
    longest_pause: float = LONGEST_SECONDS
    passing_failure: str | None = None


def answers_ok(port: int, path: str, *, host: str = "127.0.0.1", excused: str | None = None) -> bool:
    """Whether an HTTP server on this machine answers GET `path` with 200 now.

    Args:
        port: where.
        path: what.
        host: the address.
        excused: a check that may be what is wrong: nothing else waits for it.
    """
    connection = http.client.HTTPConnection(host, port, timeout=3)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        if answer.status == 200 or excused is None:
            return answer.status == 200
        checks = json.loads(answer.read())["checks"]
        return all(check["ok"] for name, check in checks.items() if name != excused)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return False
    finally:
        connection.close()
