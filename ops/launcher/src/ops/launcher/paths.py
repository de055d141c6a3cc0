"""Where things are in the project folder."""

import sys
from pathlib import Path

_PARENTS = Path(__file__).resolve().parents

PROJECT = _PARENTS[min(5, len(_PARENTS) - 1)]
"""The project folder: our packages are installed from it in place. Images have none."""

CACHE = PROJECT / ".cache"
"""What can be made again: stamps, package caches."""

FRONTEND = PROJECT / "frontend"

DEFAULT_DATA = PROJECT / ".fleetlog"
"""Data folder of an instance that was given none, from whichever folder the command is typed."""

PYTHON = [sys.executable, "-P", "-m"]
"""Runs a module of ours; -P keeps modules that lie in the current folder out of it."""
