"""Description of a process for the supervisor."""

import http.client
import json
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ops.launcher.processes.backoff import LONGEST_SECONDS


@dataclass(frozen=True)
class ProcessSpec:
    """A process of the product.

    Attributes:
        name: as shown by `status`; also the name of the log file.
        command: its command line.
        environment: its complete environment.
        port: its port on 127.0.0.1.
        is_ready: whether it answers now; may block for a second or two.
        health: URL of its readiness answer, if any.
        stop_order: processes with a lower number stop first; equal numbers stop together.
        stop_signal: the signal for a clean end.
        stop_seconds: the time allowed for a clean end.
        popen_options: for `subprocess.Popen`, such as the user to run as.
        descriptors: the limit of open files and connections; None: the launcher's.
        longest_pause: the longest wait in seconds before a restart.
        transient_failure: text in the log after which a failed start is retried soon.
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
    transient_failure: str | None = None


def answers_ok(port: int, path: str, *, ignored_check: str | None = None) -> bool:
    """Return whether GET `path` on this machine answers 200, or only the ignored readiness check fails."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=3)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        if answer.status == 200 or ignored_check is None:
            return answer.status == 200
        checks = json.loads(answer.read())["checks"]
        return all(check["ok"] for name, check in checks.items() if name != ignored_check)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return False
    finally:
        connection.close()
