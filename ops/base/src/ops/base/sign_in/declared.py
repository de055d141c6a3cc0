"""What the routes of an application declare that they need: each says so, or nothing starts."""

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Route

from ops.base.sign_in.dependency import Requires


class Undeclared(Exception):
    """A route says nothing about who may use it."""


def needed_by(route: BaseRoute) -> Requires | None:
    """Return what a route needs; None: it declares that nobody need sign in.

    Raises:
        Undeclared: it declares nothing, as what is mounted and sockets cannot.
    """
    if isinstance(route, APIRoute):
        for dependency in route.dependant.dependencies:
            if isinstance(dependency.call, Requires):
                return dependency.call
        if (route.openapi_extra or {}).get("security") == []:
            return None
    raise Undeclared(
        f"{getattr(route, 'path', route)} does not declare what it needs: see ops.base.sign_in.Requires"
    )


def require_declarations(app: FastAPI) -> None:
    """Check that each route of an application declares what it needs; its own document is for everybody.

    Raises:
        Undeclared: one does not.
    """
    for route in app.routes:
        if not (isinstance(route, Route) and route.path == app.openapi_url):
            needed_by(route)
