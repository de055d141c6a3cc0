"""Paths in the project folder."""

import sys
from pathlib import Path

_PARENTS = Path(__file__).resolve().parents

PROJECT = _PARENTS[min(5, len(_PARENTS) - 1)]
"""The project folder, from which the packages are installed in place. Images have none."""

CACHE = PROJECT / ".cache"
"""Stamps, package caches and other files that can be recreated."""

FRONTEND = PROJECT / "frontend"

DEFAULT_DATA = PROJECT / ".fleetlog"

PYTHON = [sys.executable, "-P", "-m"]
"""Runs a module; -P ignores modules in the current folder."""
