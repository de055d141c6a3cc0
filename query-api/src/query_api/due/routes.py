"""The route to due dates of drivers' documents."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field
from starlette.responses import Response

from ops.base.access_log.views import PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken
from query_api.access_log.disclosure import disclose
from query_api.database.readers import readers_of
from query_api.due.parameters import DOCUMENTS, DueParameters
from query_api.due.queries import DRIVERS, PHONE, load_due_dates
from query_api.freshness.read_your_writes import is_fresh
from query_api.http.answers import answer, known_etags
from query_api.http.openapi import query
from query_api.paging.models import PAGE_EXAMPLE, Page

PATH: Final = "/api/v1/due-dates"

# The whole answer is personal data, so users without `personal:read` are refused.
MaySee = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_READ, Permission.PERSONAL_READ))]

_EXAMPLE: Final = DRIVERS.entity.example


class DueDate(Closed):
    """A document of a driver."""

    driver: str = Field(description="Id of the driver", examples=[_EXAMPLE["id"]])
    name: str | None = Field(examples=[_EXAMPLE["name"]])
    mobile_number: str | None = Field(examples=[_EXAMPLE["mobile_number_1"]])
    document: Literal["licence", "passport"] = Field(examples=["licence"])
    date: str = Field(
        description="Last day on which the document is valid",
        examples=[_EXAMPLE["driving_license_expiry"]],
        json_schema_extra={"format": "date"},
    )


class DueDates(Closed):
    """A page of due dates."""

    content: list[DueDate]
    page: Page


def due_routes() -> APIRouter:
    """Build the route."""
    router = direct_router(tags=["due dates"])
    of_dates = PersonalContent(PATH, "due", DRIVERS.entity.name, ("name", PHONE, *DOCUMENTS.values()))

    @query(router, PATH, "due_dates", DueDates, known=PAGE_EXAMPLE)
    async def read_due_dates(
        request: Request, token: MaySee, params: Annotated[DueParameters, Query()]
    ) -> Response:
        """List the documents of drivers that have expired or will.

        Licences and passports whose last day is within the dates, the earliest first; a document is valid
        throughout its last day. Restricted drivers are left out. A page beyond the last is empty, and has the
        number of documents.
        """
        fresh = await is_fresh(request, DRIVERS)
        source, known = readers_of(request).searched, known_etags(request.scope)
        content = await load_due_dates(source, params, known_etags=known)
        response = await answer(request, content, fresh=fresh and not content.stale)
        return disclose(request, token, response, of_dates, params=params, count=content.count)

    return router
