"""`python -m ops.launcher`, which is what `./fleetlog` becomes."""

import signal
import sys

from ops.base.observability.log_stream import protect_stderr
from ops.base.process.resource_limits import forbid_core_dumps
from ops.launcher.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what ends in `&` without it
protect_stderr()  # what the launcher prints must not end it: its log may be on a disk that is full
forbid_core_dumps()
sys.exit(main(sys.argv[1:]))
