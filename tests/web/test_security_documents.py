"""The documents about security keep up with the site: every requirement has its line, and every test that is named exists."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from tests.web.endpoints import addresses

ROOT: Path = settings.ROOT
DOCUMENTS = ("SECURITY.md", "docs/security/asvs.md", "docs/security/controls.md")
STATES = {"met", "by review", "partly", "not met", "operator", "none here"}

REQUIREMENTS = {
    "1.1": 2, "1.2": 9, "1.3": 11, "1.4": 3, "1.5": 2, "2.1": 3, "2.2": 3, "2.3": 4, "2.4": 1, "3.2": 2, "3.3": 4, "3.4": 6, "3.5": 5,
    "3.7": 2, "4.1": 3, "4.2": 1, "4.3": 2, "4.4": 4, "5.1": 1, "5.2": 3, "5.3": 2, "5.4": 3, "6.1": 3, "6.2": 12, "6.3": 4, "6.4": 4,
    "6.5": 5, "6.6": 3, "6.8": 4, "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 2, "7.6": 2, "8.1": 2, "8.2": 3, "8.3": 1, "8.4": 1,
    "9.1": 3, "9.2": 4, "10.1": 2, "10.2": 2, "10.3": 4, "10.4": 11, "10.5": 5, "10.6": 2, "10.7": 3, "11.1": 2, "11.2": 3, "11.3": 3,
    "11.4": 4, "11.5": 1, "11.6": 1, "12.1": 3, "12.2": 2, "12.3": 4, "13.1": 1, "13.2": 5, "13.3": 2, "13.4": 5, "14.1": 2, "14.2": 4,
    "14.3": 3, "15.1": 3, "15.2": 3, "15.3": 7, "16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 3, "17.1": 1, "17.2": 4, "17.3": 2,
}  # fmt: skip
"""How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has; within a section they are numbered from 1."""


def read_lines() -> list[tuple[str, str, str]]:
    """Return number, state and note of each line of the table."""
    text = (ROOT / "docs/security/asvs.md").read_text(encoding="utf-8")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if re.match(r"\| \d+\.", line)]
    return [(number, state, note) for number, _about, state, note in cells]


def test_each_requirement_has_one_line_in_order():
    expected = [f"{section}.{number}" for section, count in REQUIREMENTS.items() for number in range(1, count + 1)]

    assert [number for number, _, _ in read_lines()] == expected


def test_each_line_has_a_known_state_and_says_what_its_state_needs():
    for number, state, note in read_lines():
        assert state in STATES, number
        assert state != "met" or re.search(r"`tests/|\]\(controls\.md|`requirements\.txt`", note), f"{number} names nothing that shows it"
        assert state not in {"partly", "not met"} or note, f"{number} does not say what is missing"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_and_link_of_a_document_leads_somewhere(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    paths = re.findall(r"`((?:tests|reviewers|attribution)/[\w/.]+)`", text)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("http")]

    missing = [path for path in paths if not (ROOT / path).exists()]
    missing += [link for link in links if link and not ((ROOT / document).parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_to_a_heading_finds_it(document):
    folder = (ROOT / document).parent
    for target, heading in re.findall(r"\]\(([^)#]+)#([^)]+)\)", (ROOT / document).read_text(encoding="utf-8")):
        titles = re.findall(r"^#+ (.+)$", (folder / target).read_text(encoding="utf-8"), re.MULTILINE)
        assert heading in {title.lower().replace(" ", "-") for title in titles}, f"{target}#{heading}"


def test_nothing_answers_to_trace(alice):
    client = Client(headers={"X-Secret": "not to be repeated"})
    client.force_login(alice.user)

    for address in addresses():
        ids = {name: 1 if f"<int:{name}>" in address.route else uuid.uuid4() for name in address.takes}
        response = client.generic("TRACE", address.path(**ids))
        assert response.status_code in {302, 400, 401, 403, 404, 405}, address.name
        assert b"not to be repeated" not in response.content


def test_no_answer_allows_another_origin(alice):
    client = Client(headers={"Origin": "https://elsewhere.example"})
    client.force_login(alice.user)

    for path in ("/", "/queue/", "/api/", "/api/v1/openapi.json", "/health/"):
        assert not [name for name in client.get(path).headers if name.startswith("Access-Control-")], path
