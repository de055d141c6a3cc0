"""The pages of the sign-in."""

from importlib import resources
from typing import Any, Final

from jinja2 import Environment, PackageLoader
from starlette.responses import HTMLResponse, Response

from ops.development.identity_provider.users import USERS

_PACKAGE: Final = "ops.development.identity_provider"
_TEMPLATES: Final = Environment(loader=PackageLoader(_PACKAGE, "pages"), autoescape=True)
_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; style-src 'self'; img-src data:;"
    " frame-ancestors 'none'; form-action"
)


def login_page(request: str, *, origins: tuple[str, ...]) -> Response:
    """Return the list of users to choose from.

    Args:
        request: the authorization request's query string, which the form sends back.
        origins: allowed targets of redirects; the form policy applies to redirects as well.
    """
    targets = " ".join(("'self'", *origins))
    return _page("login.html", targets=targets, request=request, users=USERS.values())


def message_page(title: str, text: str, *, link: str, status: int = 200) -> Response:
    """Return a page with a message and one link."""
    return _page("message.html", status, targets="'none'", title=title, text=text, link=link)


def _page(name: str, status: int = 200, *, targets: str, **values: Any) -> Response:
    headers = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": f"{_POLICY} {targets}",
        "Referrer-Policy": "same-origin",  # with no-referrer, forms would be sent with `Origin: null`
        "X-Content-Type-Options": "nosniff",
    }
    return HTMLResponse(_TEMPLATES.get_template(name).render(values), status, headers)


def style_sheet() -> Response:
    """Return the pages' style sheet."""
    headers = {"Cache-Control": "max-age=300", "X-Content-Type-Options": "nosniff"}
    style = (resources.files(_PACKAGE) / "pages/style.css").read_text()
    return Response(style, media_type="text/css", headers=headers)
