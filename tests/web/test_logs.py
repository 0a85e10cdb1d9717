"""No line of a log holds what somebody wrote, is, searched for or signs in with, whatever happens and however much is logged."""

from __future__ import annotations

import io
import json
import logging
import logging.config
import re
from uuid import uuid4

import pytest
import structlog
from django.conf import settings
from django.core import mail
from django.db import connections
from django.test import Client
from django.urls import reverse
from gunicorn.config import Config
from psycopg import sql

from reviewers.accounts.models import Role
from reviewers.web.config import OWNER
from reviewers.web.http import server
from tests.accounts.mailing import deliver
from tests.accounts.signing_in import sign_in_with
from tests.factories import PASSWORD, label, make_item, make_key, make_member, make_organisation, make_record, sign_in
from tests.ledger.deeds import PROTECTED, RECORD

ADDRESS = "quincunx.halcyon@example.org"
PERSON = "Halcyon Quincunx"
FACET = "model-sycamore"
LINK_SECRET = "linden-of-an-invitation"
CLIENT = "client-bergamot"


@pytest.fixture
def log():
    """Everything that is logged, at the most talkative, as the site's own handler writes it."""
    configurator = logging.config.DictConfigurator(settings.LOGGING)
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(configurator.configure_formatter(dict(settings.LOGGING["formatters"]["line"])))
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield handler.stream
    root.setLevel(level)
    root.removeHandler(handler)


@pytest.fixture
def refusing_table(committed):
    """The database refuses a label with a certain note, and quotes the whole row when it does."""
    change = "ALTER TABLE review_label {} CONSTRAINT no_flugelhorn"
    with connections[OWNER].cursor() as cursor:
        cursor.execute(sql.SQL(change + " CHECK (note NOT LIKE '%flugelhorn%') NOT VALID").format(sql.SQL("ADD")))
    yield
    with connections[OWNER].cursor() as cursor:
        cursor.execute(sql.SQL(change).format(sql.SQL("DROP")))


def do_everything(organisation) -> list[str]:
    """Use the site, well and badly, with words that stand nowhere else; returns them."""
    member = make_member(organisation, Role.REVIEWER, PERSON)
    type(member.user).objects.filter(pk=member.user_id).update(email=ADDRESS)
    secret = make_key(organisation)
    records = [
        make_record(**RECORD, model=FACET, client_reference=CLIENT, id="turn-tamarind"),
        {"id": "turn-x", "context": PROTECTED["value"]},
    ]
    program = Client(headers={"Authorization": f"Bearer {secret}"}, raise_request_exception=False)
    for record in (records[0], records[0] | {"response": PROTECTED["reason"]}, records[1]):
        program.post("/api/v1/snapshots", json.dumps(record), content_type="application/json")
    program.post("/api/v1/snapshots", "\n".join(map(json.dumps, records)), content_type="application/x-ndjson")
    program.get("/api/v1/snapshots/x?q=tamarind")
    Client(headers={"Authorization": f"Bearer {secret}x"}).get("/api/v1/instruction?q=tamarind")
    client = Client(raise_request_exception=False)
    sign_in_with(client, ADDRESS, "wrong sassafras")
    sign_in_with(client, ADDRESS)
    client.post("/accounts/password/reset/", {"email": ADDRESS})
    deliver()
    key = re.search(r"/key/(\S+)/", mail.outbox[-1].body)[1]
    Client().get(f"/accounts/password/reset/key/{key}/?q=tamarind")
    Client().put(f"/accounts/password/reset/key/{key}/")
    Client(enforce_csrf_checks=True).post(reverse("invitation", args=[uuid4(), LINK_SECRET]), {"name": PERSON})
    use_pages(client, secret)
    named = [ADDRESS, PERSON, PASSWORD, LINK_SECRET, FACET, CLIENT]
    return [*PROTECTED.values(), *named, secret, secret[8:], key, "sassafras", "tamarind", "elevated"]


def use_pages(client: Client, secret: str) -> None:
    client.get("/queue/", {"model": FACET, "after": "tamarind"})
    client.post("/queue/search/", {"words": PROTECTED["search"], "query": f"model={FACET}"}, follow=True)
    item = make_item(make_organisation()) and client.get("/queue/").context["page"].rows[0]
    path = f"/items/{item.id}/"
    page = client.get(path, {"unfound": "1", "q": "tamarind"}, headers={"Referer": "http://testserver/?q=tamarind"})
    row = {"row": "0", "attribution": page.context["page"].attribution_id}
    client.post(f"{path}label/", row | {"verdict": "correct"})
    client.post(f"{path}label/", row | {"verdict": PROTECTED["note"]})
    client.post(f"{path}note/", row | {"note": PROTECTED["reason"]})
    refused = client.post(f"{path}note/?q=tamarind", row | {"note": PROTECTED["note"]})
    assert refused.status_code == 500
    client.post(f"{path}flag/", {"finding": 0, "attribution": row["attribution"], "note": PROTECTED["reason"]})
    client.post(f"{path}skip/", {"reason": PROTECTED["reason"]})
    client.get("/nowhere/?q=tamarind")
    client.get("/queue/next/?q=tamarind")
    client.get("/settings/?q=tamarind")
    client.get("/queue/?q=tamarind", headers={"Host": "elsewhere.example"})
    strict = Client(enforce_csrf_checks=True)
    strict.post("/accounts/login/?q=tamarind", secure=True, headers={"Referer": f"https://elsewhere.example/?q={PROTECTED['search']}"})
    client.get(path, headers={"X-Forwarded-For": "tamarind", "Cookie": f"sessionid={secret}"})


def test_whatever_happens_no_line_tells_what_somebody_wrote_or_is(refusing_table, log):
    organisation = make_organisation()

    secrets = do_everything(organisation)

    logged = log.getvalue()
    found = {secret: line[:300] for secret in secrets for line in logged.splitlines() if secret.lower() in line.lower()}
    assert found == {}
    assert [line for line in logged.splitlines() if re.search(r"\?\w", line)] == []
    for said in ("request_failed", "CheckViolation", "no_flugelhorn", "request_finished", "code=404", "POST /queue/search/", "request_id="):
        assert said in logged


def test_a_failure_is_logged_with_its_places_and_without_its_words(log):
    try:
        int(PROTECTED["value"])
    except ValueError:
        logging.getLogger("site").exception("failed at %s", "/queue/?words=tamarind")
        structlog.get_logger("site").exception("failed", at="/queue/?words=tamarind")

    foreign, own = log.getvalue().splitlines()
    for line in (foreign, own):
        assert "builtins.ValueError" in line
        assert f"{__name__.rpartition('.')[2]}.py:" in line
        assert "/queue/?…" in line
        assert "tamarind" not in line
        assert "periwinkle" not in line
        assert "level=error" in line


CONTROLS = "".join(map(chr, (*range(32), *range(0x7F, 0xA0), 0x2028, 0x2029, 0x202E, 0x2066, 0xFEFF, 0xD800)))


@pytest.fixture(params=["logfmt", "JSON"])
def rendered(log, request):
    """The log of a checkout, and that of a deployment."""
    handler = next(each for each in logging.getLogger().handlers if getattr(each, "stream", None) is log)
    renderers = {"logfmt": structlog.processors.LogfmtRenderer, "JSON": structlog.processors.JSONRenderer}
    processors = handler.formatter.processors
    (place,) = [index for index, each in enumerate(processors) if isinstance(each, tuple(renderers.values()))]
    handler.formatter.processors = (*processors[:place], renderers[request.param](), *processors[place + 1 :])
    return log


def test_nothing_that_is_logged_ends_a_line_or_speaks_to_a_terminal(rendered, server_log):
    """Whoever says it, and wherever the text stands: in the event, a value, a list, the text of an object."""

    class Odd:
        def __str__(self):
            return CONTROLS

    for each in (CONTROLS, f"two words {CONTROLS}"):
        structlog.get_logger("site").warning(each, value=each, several=[each], within={"a": each}, odd=Odd())
        logging.getLogger("site").warning("said %s", each)
        server_log.warning("said %s", each)

    logged = rendered.getvalue()
    assert logged.count("\n") == 6
    assert [sign for sign in logged.replace("\n", "") if sign in CONTROLS] == []
    assert "\\r" in logged


def test_a_request_forges_no_line(alice, rendered):
    path = "/queue/%0d%0aevent=forged%00%1b[2J%c2%85%e2%80%a8/"
    sign_in(alice).get(path)
    Client().get(path, headers={"User-Agent": "a\rb\x1b[2J", "X-Request-Id": "c\rd\x1b"})

    logged = rendered.getvalue()
    assert "forged" in logged
    assert [line for line in logged.split("\n") if line.startswith("event=forged")] == []
    assert [sign for sign in logged.replace("\n", "") if sign in CONTROLS] == []


def test_what_a_failure_came_out_of_is_logged_too(log):
    def fail():
        try:
            {}[PROTECTED["value"]]
        except KeyError as error:
            raise LookupError(PROTECTED["note"]) from error

    try:
        fail()
    except LookupError as error:
        structlog.get_logger("site").error("failed", exc_info=error)

    line = log.getvalue()
    assert line.index("builtins.KeyError") < line.index("builtins.LookupError")
    assert "periwinkle" not in line


@pytest.fixture
def server_log():
    """The server's logger as gunicorn makes it, put back afterwards."""
    loggers = [logging.getLogger(name) for name in ("gunicorn.error", "gunicorn.access")]
    before = [(logger.propagate, list(logger.handlers), logger.level) for logger in loggers]
    yield server.ServerLog(Config())
    for logger, (propagate, handlers, level) in zip(loggers, before, strict=True):
        logger.propagate, logger.handlers, logger.level = propagate, handlers, level


def test_the_server_keeps_no_log_of_accesses_and_says_the_rest_as_the_site_does(log, server_log):
    server_log.exception("Error handling request %s", "/queue/?words=tamarind")

    assert server.accesslog is None
    assert server.logger_class is type(server_log)
    assert server_log.error_log.handlers == []
    assert 'event="Error handling request /queue/?…"' in log.getvalue()


def test_all_lines_go_through_one_handler():
    """Django's own would mail whole requests to administrators, forms included."""
    assert settings.LOGGING["root"]["handlers"] == ["stderr"]
    assert {name for name, logger in settings.LOGGING["loggers"].items() if "handlers" in logger} == set()
    assert settings.ADMINS == settings.MANAGERS == []


def test_a_line_of_a_request_names_it_and_who_asked(alice, log):
    sign_in(alice).get("/settings/")

    (line,) = [line for line in log.getvalue().splitlines() if "request_finished" in line]
    assert f"user_id={alice.user_id}" in line
    assert re.search(r"request_id=[0-9a-f-]{36}", line)
    assert 'request="GET /settings/"' in line
    assert "code=403" in line


def test_a_label_leaves_nothing_but_its_path(alice, item, log):
    label(sign_in(alice), item)

    assert f"POST /items/{item.pk}/label/" in log.getvalue()
    assert "risk_level" not in log.getvalue()
