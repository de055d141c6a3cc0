"""Which line of npm's and Vite's output the launcher shows when they fail."""

import pytest

from ops.launcher.frontend.node import error_line

OVER_BUDGET = """
  first load                        271.0 kB  260 kB
  RouteErrorPage                      4.6 kB   60 kB

✗ Build failed in 2.16s
error during build:
Build failed with 1 error:

[plugin bundle-budget]
RolldownError: Bundle budget exceeded: first load 271.0 kB 260 kB
    at error (file:///node_modules/rolldown/logs.mjs:164:24)
"""
NOT_TO_BE_HAD = """
npm warn config something
npm error code E404
npm error 404 Not Found
"""


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (OVER_BUDGET, "RolldownError: Bundle budget exceeded: first load 271.0 kB 260 kB"),
        (NOT_TO_BE_HAD, "npm error code E404"),
        ("killed\n", "killed"),
        ("", "no message"),
    ],
)
def test_the_error_line_is_shown(output: str, shown: str) -> None:
    assert error_line(output) == shown
