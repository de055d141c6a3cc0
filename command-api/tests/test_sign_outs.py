"""`python -m command_api sign-out`, as operators run it."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from command_api.sign_outs import sign_out
from ops.base.settings import ServiceSettings
from ops.base.sign_in.claims import LEEWAY
from ops.testing.postgres import Database

HERE, ELSEWHERE = "http://localhost:8080/", "https://tenant.example/"


def settings(database: str, issuer: str = HERE) -> ServiceSettings:
    return ServiceSettings.model_validate({"database": database, "issuer": issuer, "audience": "apis"})


@pytest.mark.parametrize(("issuer", "leeway"), [(HERE, 0), (ELSEWHERE, LEEWAY)])
@pytest.mark.parametrize("session", [None, "S1"])
def test_sign_out_adds_a_revocation_with_its_operator(
    database: Database,
    capsys: pytest.CaptureFixture[str],
    issuer: str,
    leeway: int,
    session: str | None,
) -> None:
    began = datetime.now(UTC)
    words = ["auth0|42"] if session is None else ["--session", session, "auth0|42"]

    assert sign_out(settings(database.command, issuer), words) == 0

    with psycopg.connect(database.owner) as connection:
        ((subject, listed, until, origin),) = connection.execute(
            "SELECT subject, session, issued_until, origin FROM sign_in.revocations"
        ).fetchall()
    assert (subject, listed) == ("auth0|42", session)
    assert began <= until - timedelta(seconds=leeway) <= datetime.now(UTC)
    assert origin.startswith("operator ")
    said = capsys.readouterr().out
    assert said.startswith(f"Signed out: {'the session S1 of ' if session else ''}auth0|42.")
    assert f"The session at {issuer} may still be active" in said


@pytest.mark.parametrize(
    "words",
    [[""], [" "], ["x" * 256], ["a\nb"], ["a\0"], ["\u202edev|asha"], ["dev|asha", "--session", ""]],
)
def test_impossible_subject_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        sign_out(settings("postgresql://nowhere"), words)
    assert ended.value.code == 2
    assert "1 to 255 printable characters" in capsys.readouterr().err


def test_unreachable_database_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert sign_out(settings("postgresql://someone@127.0.0.1:1/nothing"), ["dev|asha"]) == 1
    assert "the database" in capsys.readouterr().err
