"""Start of an instance in the background: a second launcher, whose line of readiness is passed on."""

import os
import select
import signal
import subprocess
import sys
from typing import IO, TYPE_CHECKING

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.paths import PYTHON
from ops.launcher.services import KAFKA_SETTING

if TYPE_CHECKING:
    from ops.launcher.launch import Options

_SHOW_SECONDS = 0.1


def detach(options: "Options") -> int:
    """Start `up` in the background and return when it is ready.

    The output goes to `logs/launcher.log` in the data folder, and until then also to the user.

    Returns:
        The exit status: that of the background launcher if it ended before it was ready.
    """
    folder = DataFolder(options.data).create()
    log_path = folder.logs / "launcher.log"
    environment = dict(os.environ)
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
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            text=True,
        )
    if launcher.stdout is None:
        raise AssertionError("a pipe")
    try:
        with log_path.open("rb") as output, launcher.stdout as lines:
            output.seek(begin)
            line = _wait_for_line(lines, output)
    except KeyboardInterrupt:
        launcher.send_signal(signal.SIGTERM)
        launcher.wait()
        raise
    if not line:
        return launcher.wait() or 1  # the launcher has printed why
    print(line, end="")
    return 0


def _wait_for_line(lines: IO[str], output: IO[bytes]) -> str:
    """Return the launcher's first line, empty if it ended; meanwhile show what it writes to its log."""
    ready: list[IO[str]] = []
    while not ready:
        ready, _, _ = select.select([lines], [], [], _SHOW_SECONDS)
        line = lines.readline() if ready else ""
        if not line:
            sys.stderr.write(output.read().decode(errors="replace"))
            sys.stderr.flush()
    return line
