from __future__ import annotations

import json
import re
import shutil
import subprocess
from urllib.parse import urlsplit

import pytest

from benchmarks.site import ROOT
from tests.robustness.clients import signed_in

COMMAND = re.compile(r"```sh\n(curl .*?)```", re.DOTALL)


@pytest.fixture
def run_command(web):
    """Runs the command as it is in the README, but for the port, in a folder where the demonstration's ``var`` is."""
    (command,) = COMMAND.findall((ROOT / "README.md").read_text())
    assert command.count("http://127.0.0.1:8000/") == 1
    command = command.replace(":8000/", f":{web.port}/")

    def run():
        done = subprocess.run(["/bin/sh", "-c", command], cwd=web.house.folder.parent, capture_output=True, check=True)  # noqa: S603 — ours
        return json.loads(done.stdout)

    return run


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl")
def test_the_command_in_the_readme_freezes_a_turn_and_the_page_it_names_opens(web, run_command):
    told = run_command()
    page = urlsplit(told["url"])

    assert (told["external_id"], told["attribution"]["cited"]) == ("turn-0001", 1)
    assert page.netloc == f"127.0.0.1:{web.port}"
    with signed_in(web.port, "reviewer@harborlights.example", web.house.password) as browser:
        shown = browser.get(page.path).decode()
    assert "so I looked for evenings" in shown
    assert "risk_level" in shown
    assert run_command() == told
