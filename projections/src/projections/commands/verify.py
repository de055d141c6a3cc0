"""`projections verify`: the log, the access log and what people look at, against what was sealed."""

import sys

import psycopg

from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from projections.workers.verification.verification import NOTHING_ELSE, Wanted, hold_against_seals, record

__all__ = ["Wanted", "verify"]


async def verify(dsn: str, seals: SealedLog, key: SigningKey, wanted: Wanted = NOTHING_ELSE) -> int:
    """Say what does not fit, and keep that for those who look after the system.

    Args:
        dsn: where to connect.
        seals: the log's.
        key: the one that they must be signed with.
        wanted: what else to look at.

    Returns:
        1 if something does not fit.
    """
    findings = await hold_against_seals(dsn, seals, key, wanted)
    print("\n".join(findings.lines()), file=sys.stdout if findings.is_anything_sealed else sys.stderr)
    try:
        await record(dsn, findings)
    except psycopg.Error as error:
        sys.stderr.write(f"This could not be kept in the database: {type(error).__name__}\n")
    return 0 if findings.fits else 1
