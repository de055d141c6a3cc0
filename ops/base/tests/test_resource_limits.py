"""Core dumps, which could contain decrypted personal data, are forbidden where processes start."""

import subprocess
import sys

import pytest

REPORTING = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
try:
{start}
except SystemExit:
    print(*resource.getrlimit(resource.RLIMIT_CORE), file=sys.stderr)
"""
LAUNCHER = """
    sys.argv = ["fleetlog", "--help"]
    runpy.run_module("ops.launcher", run_name="__main__")
"""
SERVICE = """
    from types import SimpleNamespace
    from pydantic import SecretStr
    from ops.base.http import server
    server.require_known_schema = lambda _: sys.exit()
    server.serve(None, SimpleNamespace(database=SecretStr("")))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize("start", [LAUNCHER, SERVICE], ids=["launcher", "service"])
def test_no_core_dump_is_written(start: str) -> None:
    program = REPORTING.format(start=start)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "0 0"
