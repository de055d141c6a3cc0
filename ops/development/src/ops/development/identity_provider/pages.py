"""The pages of the sign-in."""

from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import Final

from starlette.responses import HTMLResponse, Response

from ops.development.identity_provider.users import USERS

_FILES: Final = resources.files("ops.development.identity_provider") / "pages"
_COMMON: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",  # with no-referrer, forms would be sent with `Origin: null`
    "X-Content-Type-Options": "nosniff",
}
_POLICY: Final = (
    "default-src 'none'; base-uri 'none'; style-src 'self'; img-src data:;"
    " frame-ancestors 'none'; form-action"
)
_USER: Final = Template("""\
<li><button class="user" name="user" value="$sub">
<img src="$picture" alt="" width="40" height="40">
<span class="who"><span class="name">$name</span> <span class="email">$email</span></span>
<span class="job">$job <span class="role">$role</span></span>
</button></li>
""")


def login_page(request: str, *, origins: tuple[str, ...]) -> Response:
    """Return the list of users to choose from.

    Args:
        request: the authorization request's query string, which the form sends back.
        origins: allowed targets of redirects; the form policy applies to redirects as well.
    """
    users = "".join(
        _USER.substitute(
            sub=escape(user.sub),
            name=escape(user.name),
            email=escape(user.email),
            job=escape(user.job),
            role=escape(user.role),
            picture=escape(user.picture),
        )
        for user in USERS.values()
    )
    page = _template("login.html").substitute(request=escape(request), users=users)
    policy = f"{_POLICY} 'self' {' '.join(origins)}"
    return HTMLResponse(page, headers={**_COMMON, "Content-Security-Policy": policy})


def message_page(title: str, text: str, *, link: str, status: int = 200) -> Response:
    """Return a page with a message and one link."""
    page = _template("message.html").substitute(title=escape(title), text=escape(text), link=escape(link))
    headers = {**_COMMON, "Content-Security-Policy": f"{_POLICY} 'none'"}
    return HTMLResponse(page, status_code=status, headers=headers)


def style_sheet() -> Response:
    """Return the pages' style sheet."""
    headers = {"Cache-Control": "max-age=300", "X-Content-Type-Options": "nosniff"}
    return Response((_FILES / "style.css").read_text(), media_type="text/css", headers=headers)


@cache
def _template(name: str) -> Template:
    return Template((_FILES / name).read_text(encoding="utf-8"))
