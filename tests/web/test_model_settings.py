"""The settings of a model endpoint: all of them or none, and nothing is sent in the clear unless somebody says so."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from reviewers.web.config import check_endpoint
from tests.web.test_production import run_deployed

URL = "https://models.example.org/v1"
NAME = "careful-1"


def check(url=URL, name=NAME, key="quartz", timeout=60, *, may_be_plain=False):
    check_endpoint(url, name, key, timeout, may_be_plain=may_be_plain)


@pytest.mark.parametrize(
    "endpoint",
    [
        {},
        {"url": "", "name": "", "key": ""},
        {"key": ""},
        {"url": "http://127.0.0.1:8080/v1"},
        {"url": "http://[::1]:8080/v1"},
        {"url": "http://localhost/v1"},
        {"url": "http://models.internal:8080", "may_be_plain": True},
    ],
    ids=str,
)
def test_a_whole_endpoint_or_none_is_taken(endpoint):
    check(**endpoint)


@pytest.mark.parametrize(
    ("endpoint", "said"),
    [
        ({"name": ""}, "FOOTNOTE_MODEL_URL and FOOTNOTE_MODEL_NAME belong together"),
        ({"url": ""}, "FOOTNOTE_MODEL_URL and FOOTNOTE_MODEL_NAME belong together"),
        ({"url": "", "name": ""}, "FOOTNOTE_MODEL_KEY is set without FOOTNOTE_MODEL_URL"),
        ({"url": "http://models.example.org/v1"}, "plain http"),
        ({"url": "http://127.0.0.1.example.org/v1"}, "plain http"),
        ({"url": "http://localhost.example.org/v1"}, "plain http"),
        ({"url": "ftp://models.example.org/v1"}, "must be an address"),
        ({"url": "models.example.org/v1"}, "must be an address"),
        ({"url": "https:///v1"}, "must be an address"),
        ({"url": "https://models.example.org:port/v1"}, "must be an address"),
        ({"url": "https://[::1/v1"}, "must be an address"),
        ({"url": "https://desk:periwinkle@models.example.org/v1"}, "must hold no sign-in"),
        ({"url": f"{URL}?key=periwinkle"}, "must hold no sign-in"),
        ({"key": "periwinkle\n"}, "FOOTNOTE_MODEL_KEY holds"),
        ({"key": "peri winkle"}, "FOOTNOTE_MODEL_KEY holds"),
        ({"key": "périwinkle"}, "FOOTNOTE_MODEL_KEY holds"),
        ({"name": "x" * 201}, "FOOTNOTE_MODEL_NAME has more than 200 characters"),
        ({"timeout": 0}, "FOOTNOTE_MODEL_TIMEOUT"),
    ],
    ids=str,
)
def test_half_an_endpoint_or_an_open_one_is_refused_without_its_secrets(endpoint, said):
    with pytest.raises(ImproperlyConfigured) as refused:
        check(**endpoint)

    assert said in str(refused.value)
    assert "periwinkle" not in str(refused.value)


def test_nothing_starts_with_half_an_endpoint():
    done = run_deployed("import django; django.setup()", FOOTNOTE_MODEL_URL=URL)

    assert done.returncode == 1
    assert "FOOTNOTE_MODEL_URL and FOOTNOTE_MODEL_NAME belong together" in done.stderr


def test_an_endpoint_comes_from_the_environment_and_its_key_may_come_out_of_a_file(tmp_path):
    (tmp_path / "key").write_text("a-key-of-quartz\n")
    done = run_deployed(
        "import django; django.setup(); from django.conf import settings as s;"
        "print(s.MODEL_URL, s.MODEL_NAME, s.MODEL_KEY, s.MODEL_TIMEOUT)",
        FOOTNOTE_MODEL_URL=URL,
        FOOTNOTE_MODEL_NAME=NAME,
        FOOTNOTE_MODEL_KEY_FILE=str(tmp_path / "key"),
        FOOTNOTE_MODEL_TIMEOUT="90",
    )

    assert done.stdout.split() == [URL, NAME, "a-key-of-quartz", "90"]
