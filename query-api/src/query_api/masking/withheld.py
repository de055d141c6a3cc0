"""What of a stream must not be shown: all of it while it is restricted, and what was erased."""

from ops.base.records.masks import ERASED, MASKED


def kind(row: str) -> str:
    """Return SQL of what a revision is, without its entity type; the statement calls it `row`."""
    return f"split_part({row}.type, '.', 2)"


def tells_of_it(row: str) -> str:
    """Return SQL of whether a revision restricts, lifts or erases.

    An index has these alone: `revisions_of_privacy`, whose condition must be the same.
    """
    return f"{kind(row)} IN ('restricted', 'hold_set', 'restriction_lifted', 'erased')"


def withheld(row: str) -> str:
    """Return SQL of why what is personal in a revision must not be shown; null where there is no reason.

    It is the name of the member that says so: `ERASED`, or `MASKED` while its stream is restricted.
    """
    return f"""(
      SELECT CASE
        WHEN max(told.version) FILTER (WHERE {kind("told")} = 'erased') >= {row}.version THEN '{ERASED}'
        WHEN (array_agg({kind("told")} ORDER BY told.version DESC))[1] IN ('restricted', 'hold_set')
          THEN '{MASKED}'
      END
      FROM read.revisions AS told
      WHERE told.entity = {row}.entity AND told.entity_id = {row}.entity_id AND {tells_of_it("told")}
    )"""  # noqa: S608 - put together from our own constants
