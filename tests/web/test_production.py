"""A deployment: what it must set, that its settings are as strict as they are said to be, and what it answers over plain HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings

DEPLOYMENT = {
    "FOOTNOTE_LOCAL": "0",
    "FOOTNOTE_SECRET_KEY": "a-secret-of-fifty-characters-or-more-for-a-deployment-0123456789",
    "FOOTNOTE_FACTOR_KEY": "another-secret-of-fifty-characters-or-more-9876543210-abcdef",
    "FOOTNOTE_HOSTS": "desk.example.org",
    "FOOTNOTE_BEHIND_PROXY": "1",
    "FOOTNOTE_LOG_LEVEL": "INFO",
}

PROGRAM = """
import json, django
django.setup()
from django.conf import settings
from django.core.checks import run_checks
from django.core.management import call_command
from django.test import Client

def answer(path, **headers):
    response = Client(headers=headers).get(path)
    return {"status": response.status_code} | dict(response.headers)

call_command("collectstatic", verbosity=0, interactive=False)
names = [name for name in dir(settings) if name.isupper()]
print(json.dumps({
    "checks": [str(message) for message in run_checks(include_deployment_checks=True)],
    "settings": {name: getattr(settings, name) for name in names},
    "plain": answer("/queue/", Host="desk.example.org"),
    "proxied": answer("/queue/", Host="desk.example.org", **{"X-Forwarded-Proto": "https"}),
    "elsewhere": answer("/health/", Host="elsewhere.example", **{"X-Forwarded-Proto": "https"}),
}, default=str))
"""


def run_deployed(program: str, **changes: str | None) -> subprocess.CompletedProcess[str]:
    """A Python of its own with the environment of a deployment: settings are read once, when a process begins."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("FOOTNOTE_")} | DEPLOYMENT | changes
    environment |= {"DJANGO_SETTINGS_MODULE": "reviewers.settings"}
    set_ones = {key: value for key, value in environment.items() if value is not None}
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(command, env=set_ones, cwd=settings.ROOT, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 — our own words


@pytest.fixture(scope="module")
def deployed(tmp_path_factory):
    done = run_deployed(PROGRAM, FOOTNOTE_VAR=str(tmp_path_factory.mktemp("var")))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_checks_for_a_deployment_find_nothing_and_none_is_silenced(deployed):
    assert deployed["checks"] == []
    assert deployed["settings"]["SILENCED_SYSTEM_CHECKS"] == []


def test_cookies_go_to_this_host_over_tls_only_and_no_script_reads_them(deployed):
    cookies = {
        kind: [deployed["settings"][f"{kind}_COOKIE_{what}"] for what in ("NAME", "SECURE", "HTTPONLY", "SAMESITE", "PATH", "DOMAIN")]
        for kind in ("SESSION", "CSRF")
    }

    assert cookies == {
        "SESSION": ["__Host-session", True, True, "Lax", "/", None],
        "CSRF": ["__Host-csrf", True, True, "Lax", "/", None],
    }


def test_messages_are_kept_in_the_session_and_not_in_a_cookie_of_their_own(deployed):
    assert deployed["settings"]["MESSAGE_STORAGE"] == "django.contrib.messages.storage.session.SessionStorage"


def test_a_session_ends_after_twelve_hours(deployed):
    assert deployed["settings"]["SESSION_COOKIE_AGE"] == 12 * 60 * 60


def test_plain_http_leads_to_tls(deployed):
    assert (deployed["plain"]["status"], deployed["plain"]["Location"]) == (301, "https://desk.example.org/queue/")


def test_over_tls_the_browser_is_told_to_stay_there(deployed):
    assert deployed["proxied"]["status"] == 302
    assert deployed["proxied"]["Strict-Transport-Security"] == "max-age=63072000; includeSubDomains; preload"


def test_another_host_is_refused(deployed):
    assert deployed["elsewhere"]["status"] == 400


def test_nothing_is_shown_to_debug_with(deployed):
    assert deployed["settings"]["DEBUG"] is False


def test_attempts_to_sign_in_are_limited(deployed):
    """By the site's own counts, which keep nobody out of a known browser; the package's limits stand for everything else."""
    assert deployed["settings"]["ACCOUNT_RATE_LIMITS"] == {"login": None}
    assert deployed["settings"]["ALLAUTH_TRUSTED_PROXY_COUNT"] == 1


def test_where_the_proxy_is_not_named_its_headers_are_not_believed():
    done = run_deployed(
        "import json, django; django.setup(); from django.conf import settings as s;"
        "print(json.dumps([s.SECURE_PROXY_SSL_HEADER, s.ALLAUTH_TRUSTED_PROXY_COUNT]))",
        FOOTNOTE_BEHIND_PROXY=None,
    )

    assert json.loads(done.stdout) == [None, 0]


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("FOOTNOTE_SECRET_KEY", None, "FOOTNOTE_SECRET_KEY is not set."),
        ("FOOTNOTE_LOCAL", "perhaps", "FOOTNOTE_LOCAL is 'perhaps'; it must be 1 or 0."),
        ("FOOTNOTE_EMAIL_PORT", "smtp", "FOOTNOTE_EMAIL_PORT is 'smtp'; it must be a whole number."),
    ],
)
def test_what_is_missing_or_wrong_is_said_and_nothing_starts(variable, value, said):
    done = run_deployed("import django; django.setup()", **{variable: value})

    assert done.returncode == 1
    assert said in done.stderr


def test_mail_leaves_by_the_server_that_is_named(tmp_path):
    (tmp_path / "password").write_text("a secret of the mail server\n")
    done = run_deployed(
        "import json, django; django.setup(); from django.core.mail import get_connection as c; m = c();"
        "print(json.dumps([type(m).__module__, m.host, m.port, m.username, m.password, m.use_tls, m.use_ssl]))",
        FOOTNOTE_EMAIL_HOST="mail.example.org",
        FOOTNOTE_EMAIL_PORT="587",
        FOOTNOTE_EMAIL_USER="desk",
        FOOTNOTE_EMAIL_PASSWORD_FILE=str(tmp_path / "password"),
        FOOTNOTE_EMAIL_STARTTLS="1",
    )

    backend = "django.core.mail.backends.smtp"
    assert json.loads(done.stdout) == [backend, "mail.example.org", 587, "desk", "a secret of the mail server", True, False]


def test_without_hosts_the_checks_say_so():
    done = run_deployed(
        "from django.core.management import execute_from_command_line as e; e(['', 'check', '--deploy'])", FOOTNOTE_HOSTS=None
    )

    assert "ALLOWED_HOSTS must not be empty in deployment." in done.stderr


def test_with_any_host_the_checks_fail():
    done = run_deployed(
        "from django.core.management import execute_from_command_line as e; e(['', 'check', '--deploy'])",
        FOOTNOTE_HOSTS="desk.example.org,*",
    )

    assert done.returncode == 1
    assert "(footnote.E002) FOOTNOTE_HOSTS takes any host name" in done.stderr


def test_its_log_is_json_a_line(deployed):
    done = run_deployed(
        "import django; django.setup(); import structlog, logging;"
        "structlog.get_logger('site').warning('said', at='/x/?q=1'); logging.getLogger('django').warning('said %s', '/x/?q=1')"
    )

    own, foreign = map(json.loads, done.stderr.splitlines()[-2:])
    assert {"event": "said", "at": "/x/?…", "logger": "site", "level": "warning"}.items() <= own.items()
    assert {"event": "said /x/?…", "logger": "django", "level": "warning"}.items() <= foreign.items()
    assert own.keys() == foreign.keys() | {"at"}
