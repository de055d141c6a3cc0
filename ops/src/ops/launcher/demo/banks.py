"""Bank accounts that look like ones of real Indian banks; no account of anybody's."""

from typing import Final, NamedTuple

from ops.launcher.demo.story import Body, Thing


class _Bank(NamedTuple):
    name: str
    """As customers know it."""
    code: str
    """First four letters of its IFSC codes."""
    swift: str
    account_digits: int
    """Length of its account numbers."""


_BANKS: Final = (
    _Bank("State Bank of India", "SBIN", "SBININBB", 11),
    _Bank("HDFC Bank", "HDFC", "HDFCINBB", 14),
    _Bank("ICICI Bank", "ICIC", "ICICINBB", 12),
    _Bank("Punjab National Bank", "PUNB", "PUNBINBB", 16),
    _Bank("Canara Bank", "CNRB", "CNRBINBB", 13),
    _Bank("Bank of Baroda", "BARB", "BARBINBB", 14),
    _Bank("Union Bank of India", "UBIN", "UBININBB", 15),
    _Bank("Axis Bank", "UTIB", "AXISINBB", 15),
    _Bank("Indian Bank", "IDIB", "IDIBINBB", 10),
    _Bank("Kotak Mahindra Bank", "KKBK", "KKBKINBB", 10),
)

_BRANCHES: Final = ("Main Branch", "Station Road", "MG Road", "Transport Nagar", "Market Yard", "Civil Lines")


def bank_account(thing: Thing) -> Body:
    """Return the banking fields of a driver of a city, with an account number that was not drawn before."""
    draw = thing.draw
    bank = draw.one_of(_BANKS)
    return {
        "bank_account_number": draw.unique("account", lambda: draw.digits(bank.account_digits)),
        "bank_name": bank.name,
        "bank_address": f"{draw.one_of(_BRANCHES)}, {thing.body['city']}",
        "ifsc_code": f"{bank.code}0{draw.number(1, 9999):06}",  # RBI: bank, a zero, branch
        "swift_code": bank.swift if draw.happens(0.3) else None,
    }
