"""A real Keycloak for a test session, from the distribution that Maven downloads (`ops/keycloak`)."""

import base64
import contextlib
import hashlib
import html
import json
import os
import re
import secrets
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

import httpx

from ops.development.maven import ensure_downloaded, find_java
from ops.launcher.paths import PROJECT
from ops.launcher.processes.command_lines import start_process
from ops.launcher.processes.ports import free_port
from ops.launcher.programs import run_silently
from ops.testing.conditions import wait_for

SOURCE: Final = PROJECT / "ops" / "keycloak"
_APPLICATION: Final = "http://localhost:8080"
"""The address of Fleetlog in `realm.json`."""
PROGRAM: Final = "fleetlog-importer"
_NAME: Final = "Keycloak"
_PASSWORD: Final = "fleetlog"  # noqa: S105 - of a server on 127.0.0.1
"""Of all users, and of the administrator."""
_START_SECONDS: Final = 180.0
_THREADS: Final = "io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory"
_JVM: Final = (
    *("-Xms64m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true"),
    # As in its `bin/kc.sh`, which would be another process between this one and Java.
    *("-Dkc.config.built=true", "-Djava.util.logging.manager=org.jboss.logmanager.LogManager"),
    f"-Djava.util.concurrent.ForkJoinPool.common.threadFactory={_THREADS}",
    *(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("lang", "util", "util.concurrent")),
)


def ensure_keycloak() -> Path:
    """Return the folder of a Keycloak that is built and whose database has an administrator.

    Both are done once, since they take as long as two starts.
    """
    folder = ensure_downloaded(
        *(_NAME, SOURCE, "dependency:unpack-dependencies", "-DincludeTypes=zip"), prepare=_prepare
    )
    return next(folder.glob("keycloak-*"))


def _prepare(folder: Path) -> None:
    program = ["sh", str(next(folder.glob("keycloak-*/bin/kc.sh")))]
    environment = {**os.environ, "JAVA": find_java(_NAME), "ADMIN_PASSWORD": _PASSWORD}
    administrator = ["--username", "admin", "--password:env", "ADMIN_PASSWORD", "--no-prompt"]
    for words in (["build", "--db=dev-file"], ["bootstrap-admin", "user", *administrator, "--optimized"]):
        run_silently([*program, *words], f"cannot prepare {_NAME}", environment=environment)


class Keycloak:
    """A running Keycloak.

    Attributes:
        address: its origin, `http://localhost:PORT`.
        http: a client of its administration API.
    """

    def __init__(self, folder: Path) -> None:
        """Prepare a server with its data in a folder; `start` runs it."""
        self._distribution = ensure_keycloak()
        self._java = find_java(_NAME)
        self._folder = folder
        self._port = free_port()
        self.address = f"http://localhost:{self._port}"
        # The server ends with the thread that started it, which must outlive the threads of a test.
        self._starter = ThreadPoolExecutor(1)
        self.http = httpx.Client(base_url=self.address, trust_env=False, timeout=60)

    def start(self) -> None:
        """Start the server, and return when it serves."""
        for name in ("conf", "lib", "providers"):
            (self._folder / name).symlink_to(self._distribution / name)
        shutil.copytree(self._distribution / "data" / "h2", self._folder / "data" / "h2")
        command = [
            *(self._java, *_JVM, f"-Dkc.home.dir={self._folder}"),
            f"-Djboss.server.config.dir={self._folder / 'conf'}",
            *("-cp", str(self._distribution / "lib" / "quarkus-run.jar")),
            *("io.quarkus.bootstrap.runner.QuarkusEntryPoint", "start", "--optimized", "--cache=local"),
            *("--http-enabled=true", "--http-host=127.0.0.1", f"--http-port={self._port}"),
            f"--hostname={self.address}",
        ]
        log = self._folder / "keycloak.log"
        with log.open("wb") as output:
            start = partial(
                start_process, command, None, output, stop_signal=signal.SIGKILL, cwd=self._folder
            )
            self._process = self._starter.submit(start).result()

        def serves() -> bool:
            if self._process.poll() is not None:
                raise RuntimeError(f"Keycloak ended:\n{log.read_text()}")
            with contextlib.suppress(httpx.TransportError):
                return self.http.get("/realms/master").is_success
            return False

        wait_for(serves, seconds=_START_SECONDS, failure=log.read_text)
        self._sign_in()
        # The administrator's own token otherwise ends after a minute.
        self.manage("PUT", "/realms/master", {"accessTokenLifespan": 3600})
        self._sign_in()

    def stop(self) -> None:
        """Stop the server; nothing of it is needed again."""
        self.http.close()
        self._process.kill()
        self._process.wait()
        self._starter.shutdown()

    def manage(self, method: str, path: str, body: object = None) -> Any:
        """Send a request to the administration API, and return the JSON of its response."""
        answer = self.http.request(method, f"/admin{path}", json=body)
        assert answer.is_success, (method, path, answer.status_code, answer.text)
        return answer.json() if answer.content else None

    def create_realm(self, name: str, *, application: str) -> "Realm":
        """Create a realm from `realm.json` for an application's address."""
        text = (SOURCE / "realm.json").read_text().replace(_APPLICATION, application)
        self.manage("POST", "/realms", {**json.loads(text), "realm": name})
        return Realm(self, name, application)

    def _sign_in(self) -> None:
        form = {"grant_type": "password", "client_id": "admin-cli", "username": "admin"}
        answer = self.http.post(
            "/realms/master/protocol/openid-connect/token", data={**form, "password": _PASSWORD}
        )
        self.http.headers["Authorization"] = f"Bearer {answer.raise_for_status().json()['access_token']}"


class Realm:
    """A realm of Keycloak, with users of the browser application at `application` and programs.

    Attributes:
        issuer: exactly as in its tokens.
        application: origin of the browser application.
    """

    def __init__(self, keycloak: Keycloak, name: str, application: str) -> None:
        self._keycloak = keycloak
        self._name = name
        self.issuer = f"{keycloak.address}/realms/{name}"
        self.application = application
        document = f"{self.issuer}/.well-known/openid-configuration"
        self.discovery: dict[str, Any] = httpx.get(document, trust_env=False, timeout=60).json()

    def manage(self, method: str, path: str, body: object = None) -> Any:
        """Send a request to the realm's administration API, and return the JSON of its response."""
        return self._keycloak.manage(method, f"/realms/{self._name}{path}", body)

    def user_id(self, username: str) -> str:
        """Return a user's id, the `sub` of tokens."""
        (user,) = self.manage("GET", f"/users?exact=true&username={username}")
        return str(user["id"])

    def sign_in(self, username: str) -> dict[str, Any]:
        """Sign a user in by the code flow with PKCE and the login page; return the token response."""
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        with httpx.Client(trust_env=False, timeout=60) as browser:
            page = browser.get(
                self.discovery["authorization_endpoint"],
                params={
                    "client_id": "fleetlog-web",
                    "response_type": "code",
                    "scope": "openid profile email",
                    "redirect_uri": f"{self.application}/",
                    "state": "s",
                    "nonce": "n",
                    "code_challenge": challenge,
                    "code_challenge_method": "S256",
                },
            ).raise_for_status()
            form = re.search(r'action="([^"]+)"', page.text)
            assert form is not None, page.text
            # Its cookies are `Secure`, which a browser sends to localhost but `http.cookiejar` does not.
            cookies = "; ".join(cookie.partition(";")[0] for cookie in page.headers.get_list("set-cookie"))
            answer = browser.post(
                html.unescape(form[1]),
                data={"username": username, "password": _PASSWORD},
                headers={"Cookie": cookies},
            )
            assert answer.status_code == 302, answer.text
            code = dict(parse_qsl(urlsplit(answer.headers["location"]).query))["code"]
        form_of_code = {"code": code, "code_verifier": verifier, "redirect_uri": f"{self.application}/"}
        return self.token(grant_type="authorization_code", **form_of_code).raise_for_status().json()  # type: ignore[no-any-return]

    def refresh(self, refresh_token: str) -> httpx.Response:
        """Exchange a refresh token."""
        return self.token(grant_type="refresh_token", refresh_token=refresh_token)

    def sign_in_program(self) -> str:
        """Return an access token of the program, by its client credentials."""
        answer = self.token(
            grant_type="client_credentials", client_id=PROGRAM, client_secret=f"{PROGRAM}-secret"
        )
        return str(answer.raise_for_status().json()["access_token"])

    def sign_out(self, tokens: dict[str, Any]) -> None:
        """End the session of tokens, as the browser application does."""
        answer = httpx.get(
            self.discovery["end_session_endpoint"],
            params={
                "id_token_hint": tokens["id_token"],
                "post_logout_redirect_uri": f"{self.application}/",
            },
            trust_env=False,
            timeout=60,
        )
        assert answer.status_code == 302, answer.text

    def token(self, **form: str) -> httpx.Response:
        """Post a form to the token endpoint, as the browser application unless another client is named."""
        return httpx.post(
            self.discovery["token_endpoint"],
            data={"client_id": "fleetlog-web", **form},
            trust_env=False,
            timeout=60,
        )


@contextlib.contextmanager
def throw_away_keycloak(folder: Path) -> Iterator[Keycloak]:
    """Run Keycloak with its data in an empty folder.

    Raises:
        LauncherError: Java or Maven are missing, or the download fails.
    """
    keycloak = Keycloak(folder)
    keycloak.start()
    try:
        yield keycloak
    finally:
        keycloak.stop()
