"""Counts of tests: small in the suite, and full in a soak, or as much of that as `--share` says."""

import os
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

SETTING: Final = "FLEETLOG_SOAK_SHARE"


def soak_count(full: int) -> int:
    """Return the share of a full count that a soak runs; at least 1."""
    return max(1, round(full * float(os.environ.get(SETTING, "1"))))


def suite_and_soak(suite: int, soak: int, *, hours: int = 1) -> "list[ParameterSet]":
    """Return the parameters of one test for the suite and for the soak, which takes up to some hours."""
    marks = (pytest.mark.soak, pytest.mark.timeout(hours * 3600))
    return [pytest.param(suite, id="suite"), pytest.param(soak_count(soak), id="soak", marks=marks)]
