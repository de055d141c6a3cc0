"""Bank accounts that look like ones of real Indian banks; no account of anybody's."""

from dataclasses import dataclass
from typing import Final

from ops.launcher.demo.randomness import Draw
from ops.launcher.demo.story import Body


@dataclass(frozen=True)
class Bank:
    """A bank.

    Attributes:
        name: as customers know it.
        code: first four letters of its IFSC codes.
        swift: its SWIFT code.
        account_digits: length of its account numbers.
    """

    name: str
    code: str
    swift: str
    account_digits: int


BANKS: Final = (
    Bank("State Bank of India", "SBIN", "SBININBB", 11),
    Bank("HDFC Bank", "HDFC", "HDFCINBB", 14),
    Bank("ICICI Bank", "ICIC", "ICICINBB", 12),
    Bank("Punjab National Bank", "PUNB", "PUNBINBB", 16),
    Bank("Canara Bank", "CNRB", "CNRBINBB", 13),
    Bank("Bank of Baroda", "BARB", "BARBINBB", 14),
    Bank("Union Bank of India", "UBIN", "UBININBB", 15),
    Bank("Axis Bank", "UTIB", "AXISINBB", 15),
    Bank("Indian Bank", "IDIB", "IDIBINBB", 10),
    Bank("Kotak Mahindra Bank", "KKBK", "KKBKINBB", 10),
)

_BRANCHES: Final = ("Main Branch", "Station Road", "MG Road", "Transport Nagar", "Market Yard", "Civil Lines")


def bank_account(draw: Draw, city: str) -> Body:
    """Return a driver's banking fields, with an account number that was not drawn before."""
    bank = draw.one_of(BANKS)
    return {
        "bank_account_number": draw.unique("account", lambda: draw.digits(bank.account_digits)),
        "bank_name": bank.name,
        "bank_address": f"{draw.one_of(_BRANCHES)}, {city}",
        "ifsc_code": f"{bank.code}0{draw.number(1, 9999):06}",  # RBI: bank, a zero, branch
        "swift_code": bank.swift if draw.happens(0.3) else None,
    }
