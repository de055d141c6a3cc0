"""Query parameters of the audit file."""

from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from query_api.audit.parameters import ChangeFilter, RecordFilter
from query_api.http.parameters import YES_OR_NO, BadParameter


class AuditFileParameters(RecordFilter):
    """Query parameters of the audit file."""

    reveal: Annotated[Literal["true", "false"], YES_OR_NO] = Field(
        "false", description="Show personal data; also needs `audit:reveal`", examples=["false"]
    )

    @field_validator("id", mode="before")
    @classmethod
    def _has_a_type(cls, text: Any, info: ValidationInfo) -> Any:
        if info.context is not None and "entity" not in info.context:
            raise BadParameter("Must be given together with entity")
        return text

    @property
    def filter(self) -> ChangeFilter:
        """The filter of the audit trail."""
        return ChangeFilter(**{name: getattr(self, name) for name in RecordFilter.model_fields})
