"""What the routes of an application declare that they need: each says so, or nothing starts."""

from collections.abc import Iterable

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from ops.base.permissions import Permission
from ops.base.sign_in.dependency import Requires


class Undeclared(Exception):
    """A route says nothing about who may use it."""


def needed_by(route: APIRoute) -> tuple[Permission, ...] | None:
    """Return the permissions that a route needs; None: it declares that nobody need sign in.

    Raises:
        Undeclared: it declares nothing.
    """
    for dependency in route.dependant.dependencies:
        if isinstance(dependency.call, Requires):
            return dependency.call.permissions
    if (route.openapi_extra or {}).get("security") == []:
        return None
    raise Undeclared(f"{route.path} does not declare what it needs: see ops.base.sign_in.Requires")


def require_declarations(routes: Iterable[BaseRoute]) -> None:
    """Check that each route declares what it needs.

    Raises:
        Undeclared: one does not.
    """
    for route in routes:
        if isinstance(route, APIRoute):
            needed_by(route)
