"""`python -m ops.launcher`, which `./fleetlog` runs."""

import signal
import sys

from ops.base.observability.log_stream import protect_stderr
from ops.base.process.resource_limits import forbid_core_dumps
from ops.launcher.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background commands with it ignored
protect_stderr()  # a full disk below the log must not end the launcher
forbid_core_dumps()
sys.exit(main(sys.argv[1:]))
