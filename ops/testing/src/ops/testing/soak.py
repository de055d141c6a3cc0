"""Test counts: small in the suite, full in a soak, reduced by the soak's `--share`."""

import os
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

SETTING: Final = "FLEETLOG_SOAK_SHARE"


def soak_count(full: int) -> int:
    """Return the share of a full count that this soak runs; at least 1."""
    return max(1, round(full * float(os.environ.get(SETTING, "1"))))


def suite_and_soak(suite: int, soak: int, *, hours: int = 1) -> "list[ParameterSet]":
    """Return the counts of one test in the suite and in the soak, which may take some hours."""
    marks = (pytest.mark.soak, pytest.mark.timeout(hours * 3600))
    return [pytest.param(suite, id="suite"), pytest.param(soak_count(soak), id="soak", marks=marks)]
