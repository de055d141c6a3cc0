"""Leaving an instance running: a second launcher in a session of its own, which signals when it is ready."""

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
    from ops.launcher.running import Options

_READY_PIPE = "FLEETLOG_READY_PIPE"
_SHOW_SECONDS = 0.1


def detach(options: "Options") -> int:
    """Start `up` in the background and return when it is ready.

    Its lines go to `logs/launcher.log` in the data folder, and until then to the user as well.

    Returns:
        The exit status: of the background launcher if it ended instead of becoming ready.

    Raises:
        LauncherError: the data folder cannot be used.
    """
    folder = DataFolder(options.data).create()
    log_path = folder.logs / "launcher.log"
    reading, writing = os.pipe()
    environment = {**os.environ, _READY_PIPE: str(writing)}
    if options.database:
        environment["FLEETLOG_DATABASE"] = options.database  # not on a command line that everyone can read
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
        return launcher.wait() or 1  # it has said why
    print(line)
    return 0


def _wait_for_line(pipe: IO[str], output: IO[bytes]) -> str:
    """What comes through the pipe; empty when its other end dies. Meanwhile shows the user what is told."""
    ready: list[IO[str]] = []
    while not ready:
        ready, _, _ = select.select([pipe], [], [], _SHOW_SECONDS)
        line = pipe.read() if ready else ""
        if not line:
            sys.stderr.write(output.read().decode(errors="replace"))
            sys.stderr.flush()
    return line


def ready_reporter() -> Callable[[str], None]:
    """What tells that everything answers: whoever waits for this launcher in the background, or the user.

    To be taken before children are started, which have no business with it.
    """
    descriptor = os.environ.pop(_READY_PIPE, None)
    if descriptor is None:
        return _print_if_possible
    pipe = os.fdopen(int(descriptor), "w")

    def report(line: str) -> None:
        with contextlib.suppress(OSError), pipe:  # whoever waited may be gone
            pipe.write(line)
        print(line, file=sys.stderr, flush=True)

    return report


def _print_if_possible(line: str) -> None:
    with contextlib.suppress(OSError):  # the product runs all the same
        print(line, flush=True)
