"""`python -m ops.launcher`, which is what `./fleetlog` becomes."""

import signal
import sys

from ops.launcher.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what ends in `&` without it

sys.exit(main(sys.argv[1:]))
