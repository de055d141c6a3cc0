"""Moments as operators type them."""

import argparse
from datetime import datetime


def moment_of(text: str) -> datetime:
    """Read a moment.

    Raises:
        argparse.ArgumentTypeError: it is none, or it is not said in which time zone.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("must be like 2026-11-22T03:00:00Z") from None
    if moment.tzinfo is None:
        raise argparse.ArgumentTypeError("say in which time zone: 2026-11-22T03:00:00Z or …+01:00")
    return moment
