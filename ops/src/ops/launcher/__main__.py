"""`python -m ops.launcher`, which is what `./fleetlog` becomes."""

import sys

from ops.launcher.cli import main

sys.exit(main(sys.argv[1:]))
