"""The few pages that people see, and the one that only a script sees."""

import html
import json
import secrets
from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import Template
from typing import Final

from starlette.responses import HTMLResponse, Response

from ops.launcher.identity_provider.users import USERS

PRODUCT: Final = "Fleetlog"

_FILES: Final = resources.files("ops.launcher.identity_provider") / "pages"
_COMMON: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",  # with no-referrer, forms would be sent with `Origin: null`
    "X-Content-Type-Options": "nosniff",
}
_POLICY: Final = "default-src 'none'; base-uri 'none'; style-src 'self'; img-src data:; "


def login_page(*, request: str, form_token: str, origins: Sequence[str]) -> Response:
    """The list of users; choosing one answers an authorization request.

    Args:
        request: that request's query string, to come back with the form.
        form_token: proves that the form is ours when it comes back.
        origins: where the answer may lead; a policy on forms holds for their redirects, too.
    """
    users = "".join(
        _fill(
            "user.html",
            sub=user.sub,
            name=user.name,
            email=user.email,
            job=user.job,
            role=user.role,
            picture=user.picture,
            autofocus="" if position else " autofocus",
        )
        for position, user in enumerate(USERS)
    )
    page = _template("login.html").substitute(
        product=PRODUCT, request=html.escape(request), form_token=html.escape(form_token), users=users
    )
    policy = f"{_POLICY}form-action 'self' {' '.join(origins)}; frame-ancestors 'none'"
    return HTMLResponse(page, headers={**_COMMON, "Content-Security-Policy": policy})


def message_page(title: str, text: str, *, link: str, link_text: str, status: int = 200) -> Response:
    """A page that says one thing and offers one way out."""
    page = _fill("message.html", product=PRODUCT, title=title, text=text, link=link, link_text=link_text)
    policy = f"{_POLICY}form-action 'none'; frame-ancestors 'none'"
    return HTMLResponse(page, status_code=status, headers={**_COMMON, "Content-Security-Policy": policy})


def web_message_page(response: dict[str, str], *, target: str) -> Response:
    """Hand an authorization response to the window that opened this one or holds it in a frame.

    Args:
        response: its parameters.
        target: the only origin that may hear it and may frame this page.
    """
    nonce = secrets.token_urlsafe(16)
    page = _template("web_message.html").substitute(
        nonce=nonce, response=_script_literal(response), target=_script_literal(target)
    )
    policy = f"default-src 'none'; base-uri 'none'; script-src 'nonce-{nonce}'; frame-ancestors {target}"
    return HTMLResponse(page, headers={**_COMMON, "Content-Security-Policy": policy})


def style_sheet() -> Response:
    """The pages' style."""
    headers = {"Cache-Control": "max-age=300", "X-Content-Type-Options": "nosniff"}
    return Response(
        (_FILES / "style.css").read_text(encoding="utf-8"), media_type="text/css", headers=headers
    )


@cache
def _template(name: str) -> Template:
    return Template((_FILES / name).read_text(encoding="utf-8"))


def _fill(template: str, /, **values: str) -> str:
    return _template(template).substitute({key: html.escape(value) for key, value in values.items()})


def _script_literal(value: object) -> str:
    """Write a value so that it cannot end the script element it stands in."""
    text = json.dumps(value)  # ASCII
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
