"""What is asked of a list: which view of it, or what it was."""

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator

from projections.tables import EntityTable
from query_api.history.points import AsOf
from query_api.http.parameters import (
    BadParameter,
    not_together_with,
    one_of,
    parameter,
    plain_text,
    whole_number,
)
from query_api.paging.csv_lines import columns_of
from query_api.paging.narrowing import Narrowing, narrowing, of_a_page, order_of, ordered
from query_api.paging.view import DEFAULT_SIZE, MAX_PAGE, MAX_SIZE, View


def _texts(texts: list[str]) -> tuple[str, ...]:
    return tuple(map(plain_text, texts))


class ListParameters(Narrowing):
    """The parameters of all lists."""

    decisive: ClassVar = "as_of"

    page: Annotated[int | None, whole_number(0, MAX_PAGE)] = Field(
        None, description="Which page, counted from 0", examples=[0, 2]
    )
    size: Annotated[int | None, whole_number(1, MAX_SIZE)] = Field(
        None, description="Rows a page has at most", examples=[DEFAULT_SIZE, MAX_SIZE]
    )
    sort: Any = None
    as_of: AsOf = None
    whole_up_to: Annotated[int | None, whole_number(0, MAX_PAGE)] = Field(
        None,
        description="The whole list where it has no more rows than this, else none of them, and in `page` how"
        " many there are",
        examples=[5000],
    )

    _is_whole = field_validator("whole_up_to", mode="before")(not_together_with("as_of"))
    _is_of_now = field_validator("page", "size", "sort", "q", "q_in", mode="before")(of_a_page)

    @property
    def view(self) -> View | None:
        """The view, or None where none is asked for: then the whole list is."""
        if not self.model_fields_set - {"as_of", "whole_up_to"}:
            return None
        given: dict[str, Any] = {
            name: getattr(self, name) for name in self.model_fields_set & {"page", "size"}
        }
        return replace(self.narrowed, **given, **ordered(self.sort))


class ChoicesParameters(Narrowing):
    """Of which field the values are asked for, and in which rows."""

    field: Any


def parameters_of_choices(table: EntityTable) -> type[ChoicesParameters]:
    """Return the parameters of the values that one table's list can be narrowed to."""
    names = tuple(name for name, kind in table.entity.filtered.items() if kind == "value")
    field = Field(
        description="Of which field; that it is narrowed by itself does not count", examples=[names[:1]]
    )
    return narrowing(table, ChoicesParameters, field=(Annotated[str, one_of(*names)], field))


class ExportParameters(Narrowing):
    """What a downloaded list shows."""

    sort: Any = None
    columns: Any
    headers: Annotated[tuple[str, ...], parameter(_texts, list[str])] = Field(
        (),
        description="What the columns are called, as many as there are; without them, as in `columns`",
        examples=[["Name"]],
    )

    @field_validator("headers", mode="after")
    @classmethod
    def _are_of_columns(cls, headers: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if headers and len(headers) != len(info.data.get("columns", headers)):
            raise BadParameter("Must be as many as columns")
        return headers

    @property
    def view(self) -> View:
        """The view of all rows."""
        return replace(self.narrowed, **ordered(self.sort))


def parameters_of_export(table: EntityTable) -> type[ExportParameters]:
    """Return the parameters of one table's downloaded list."""
    known = columns_of(table.entity)

    def read(texts: list[str]) -> tuple[str, ...]:
        names = tuple(name for text in texts for name in text.split(","))
        if len(names) > len(known) or not set(names) <= set(known):
            raise BadParameter("Must be fields of the list's items, or of their members, with commas between")
        return names

    columns = Field(
        description="Fields of the list's items, or of their members; also several with commas between them",
        examples=[["id"]],
    )
    name: Any = Literal[known]
    described = parameter(read, Annotated[list[name], Field(min_length=1, max_length=len(known))])
    return narrowing(
        table,
        ExportParameters,
        sort=order_of(table),
        columns=(Annotated[tuple[str, ...], described], columns),
    )


def parameters_of_list(table: EntityTable) -> type[ListParameters]:
    """Return the parameters of one table's list."""
    return narrowing(table, ListParameters, sort=order_of(table))
