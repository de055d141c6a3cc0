"""Start of an instance in the background: a second launcher that signals through a pipe when it is ready."""

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.paths import PYTHON
from ops.launcher.services import KAFKA_SETTING

if TYPE_CHECKING:
    from ops.launcher.launch import Options

_READY_PIPE = "FLEETLOG_READY_PIPE"
_SHOW_SECONDS = 0.1


def detach(options: "Options") -> int:
    """Start `up` in the background and return when it is ready.

    The output goes to `logs/launcher.log` in the data folder, and until then also to the user.

    Returns:
        The exit status: that of the background launcher if it ended before it was ready.
    """
    folder = DataFolder(options.data).create()
    log_path = folder.logs / "launcher.log"
    reading, writing = os.pipe()
    environment = {**os.environ, _READY_PIPE: str(writing)}
    if options.database:
        environment["FLEETLOG_DATABASE"] = options.database  # every user can read command lines
    if options.kafka:
        environment[KAFKA_SETTING] = options.kafka
    if options.backups:
        environment["FLEETLOG_BACKUPS"] = str(options.backups.absolute())
    command = ["up", "--port", str(options.port), "--data", str(folder.path)]
    if provider := options.provider:
        command += ["--issuer", provider.issuer, "--audience", provider.audience]
        command += ["--client-id", provider.client_id, "--jwks", provider.jwks_url]
    elif options.development_sign_in:
        command += ["--development-sign-in"]
    with log_path.open("ab") as log:
        begin = log.tell()
        launcher = subprocess.Popen(
            [*PYTHON, "ops.launcher", *command],
            env=environment,
            pass_fds=[writing],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    os.close(writing)
    try:
        with log_path.open("rb") as output, os.fdopen(reading) as pipe:
            output.seek(begin)
            line = _wait_for_line(pipe, output)
    except KeyboardInterrupt:
        launcher.send_signal(signal.SIGTERM)
        launcher.wait()
        raise
    if not line:
        return launcher.wait() or 1  # the launcher has printed why
    print(line)
    return 0


def _wait_for_line(pipe: IO[str], output: IO[bytes]) -> str:
    """Return the line from the pipe, empty if its writer ended; meanwhile show the launcher's output."""
    ready: list[IO[str]] = []
    while not ready:
        ready, _, _ = select.select([pipe], [], [], _SHOW_SECONDS)
        line = pipe.read() if ready else ""
        if not line:
            sys.stderr.write(output.read().decode(errors="replace"))
            sys.stderr.flush()
    return line


def ready_reporter() -> Callable[[str], None]:
    """Return a function that reports readiness to the command that waits for this launcher, or to the user.

    Call it before children are started, so that they do not inherit the pipe's variable.
    """
    descriptor = os.environ.pop(_READY_PIPE, None)

    def report(line: str) -> None:
        output = sys.stdout
        if descriptor is not None:
            output = sys.stderr
            with contextlib.suppress(OSError), os.fdopen(int(descriptor), "w") as pipe:
                pipe.write(line)  # fails if the waiting command was ended
        with contextlib.suppress(OSError):  # the product runs even if its output is closed
            print(line, file=output, flush=True)

    return report
