"""The description of an audit file, which the service passes to the process that makes it."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from pydantic import TypeAdapter

from ops.tamper_evidence.proofs import Scope
from query_api.audit.parameters import ChangeFilter
from query_api.audit_file.plan import Plan


@dataclass(frozen=True)
class Job:
    """An audit file to be made.

    Attributes:
        database: DSN of the primary.
        subject: the user who requests the file.
        moment: when the file was requested.
        filters: the selection, as query parameters by the names of `ChangeFilter`.
        reveal: whether personal data is shown; otherwise nothing is decrypted.
        restricted: whether the user may see restricted data.
    """

    database: str
    subject: str
    name: str | None
    request_id: str
    moment: datetime
    filters: dict[str, str]
    reveal: bool
    restricted: bool
    plan: Plan

    @cached_property
    def wanted(self) -> ChangeFilter:
        """The filter of the changes."""
        return ChangeFilter.model_validate(self.filters)

    @property
    def scope(self) -> Scope:
        """The scope of the proof; who made a change is encrypted, so no proof can select by it."""
        if self.wanted.entity is None:
            return Scope("all")
        if self.wanted.id is None:
            return Scope("type", self.wanted.entity)
        return Scope("stream", f"{self.wanted.entity}:{self.wanted.id}")


JOB = TypeAdapter(Job)
