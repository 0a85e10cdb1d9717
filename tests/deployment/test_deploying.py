"""docs/deploying.md, step by step as it is written, on a machine of its own with Debian's PostgreSQL and nginx."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from reviewers.demonstration.generator import generate

ROOT: Path = settings.ROOT
PAGE = ROOT / "docs" / "deploying.md"
FILES = ROOT / "reviewers" / "devtools" / "deploy"
HOST = "desk.example.org"
_LONGEST = 3_600

FROM_ELSEWHERE = ("apt-get ", "git ", "python3 -m venv ", ".venv/bin/pip ", ".venv/bin/python -m compileall ")
"""Commands that fetch programs, or write them: here they are those of this checkout."""

MAKE_KEY = """
from django.utils import timezone
from reviewers.accounts.actions import add_member, create_service_key
from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Organisation, Role, Scope, User
from reviewers.web.tenancy import tenant
organisation, now = Organisation.objects.get(slug="north"), timezone.now()
with tenant.within(organisation.pk):
    user = User.objects.create(email="owner@example.org", name="Owen Orr")
    add_member(organisation=organisation, user=user, role=Role.ADMINISTRATOR, at=now)
    key = dict(organisation=organisation, owner=user, name="Assistant", scopes=[Scope.INGEST, Scope.READ], at=now)
    print(create_service_key(**key, by=user_actor(user.id))[1])
"""
"""The page of service keys does this, for an administrator with a second factor."""

STARTED = """
for _ in $(seq 300); do ! curl --silent --output /dev/null http://127.0.0.1:8000/ || break; sleep 1; done
"""
"""A machine that does much else may take longer than the page has patience for."""

WORK = """
footnote shell --verbosity 0 < "$RESULTS/make_key.py" | tail -1 > "$RESULTS/key"
KEY=$(cat "$RESULTS/key")
ask() { curl --silent --show-error --cacert /etc/footnote/tls/certificate.pem --header "Authorization: Bearer $KEY" "$@"; }
ask --output "$RESULTS/turn" --write-out '%{http_code}' --json @"$RESULTS/turn.json" \
  "https://$HOST/api/v1/snapshots" > "$RESULTS/turn.status"
ask --output "$RESULTS/batch" --data-binary @"$RESULTS/batch.jsonl" --header 'Content-Type: application/x-ndjson' \
  "https://$HOST/api/v1/snapshots"
curl --silent --head "http://$HOST/queue/" > "$RESULTS/plain"
curl --silent --cacert /etc/footnote/tls/certificate.pem --include "https://$HOST/accounts/login/" > "$RESULTS/page"
curl --silent --cacert /etc/footnote/tls/certificate.pem --output /dev/null --write-out '%{http_code} %{content_type}' \
  "https://$HOST$(grep -o '/static/[^"]*\\.css' "$RESULTS/page" | head -1)" > "$RESULTS/style"
sealed() { test "$(runuser -u postgres -- psql -At footnote -c 'SELECT count(*) FROM ledger_pending')" = 0; }
for _ in $(seq 300); do ! sealed || break; sleep 1; done
footnote verify > "$RESULTS/verified"
"""

LOOK_AGAIN = """
for _ in $(seq 300); do ! ask --fail --output /dev/null "https://$HOST/health/ready" || break; sleep 1; done
ask --output "$RESULTS/{name}" --write-out '%{{http_code}}' "https://$HOST/api/v1/snapshots/$(cat "$RESULTS/id")" > "$RESULTS/{name}.status"
footnote verify > "$RESULTS/{name}.verified"
"""


def missing() -> str:
    """Return what this machine lacks; an empty string if the page can be rehearsed."""
    if os.geteuid() != 0:
        return "only root can make a machine of its own"
    programs = ["unshare", "setpriv", "runuser", "openssl", "curl", "nginx", "pg_ctlcluster", "adduser"]
    absent = [name for name in programs if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None]
    if absent:
        return f"there is no {', '.join(absent)} here: apt-get install --yes nginx postgresql"
    can = subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "true"], capture_output=True, check=False)  # noqa: S607
    return "" if can.returncode == 0 else "this machine may make no namespaces"


def read_steps() -> dict[int, str]:
    """Return the commands of each step of the page, without those that fetch programs."""
    _, *steps = re.split(r"^## (\d+)\. .*$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    blocks = {
        int(number): re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        for number, text in zip(steps[::2], steps[1::2], strict=True)
    }
    return {
        number: "\n".join(line for block in found for line in block.splitlines() if not line.startswith(FROM_ELSEWHERE))
        for number, found in blocks.items()
    }


def script_of(steps: dict[int, str]) -> str:
    """Return the page as one script, with work for the site after the seventh step, and a look at it after the others."""
    first = "\n".join([*(steps[number] for number in range(1, 6)), STARTED, steps[6], steps[7]])
    identifier = """sed 's/.*"id": *"\\([^"]*\\)".*/\\1/' "$RESULTS/turn" | head -1 > "$RESULTS/id" """
    return "\n".join(
        [
            (ROOT / "tests" / "deployment" / "machine.sh").read_text(),
            first,
            'systemd-analyze verify /etc/systemd/system/footnote-* > "$RESULTS/units" 2>&1 || true',
            WORK,
            identifier,
            steps[8],
            LOOK_AGAIN.format(name="restored"),
            steps[9],
            LOOK_AGAIN.format(name="upgraded"),
        ]
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Iterator[Path]:
    """The folder of what came of it."""
    if lack := missing():
        pytest.skip(lack)
    folder = tmp_path_factory.mktemp("results")
    turn, *batch = generate(1_000)
    (folder / "turn.json").write_text(json.dumps(turn))
    (folder / "batch.jsonl").write_text("\n".join(map(json.dumps, batch)))
    (folder / "make_key.py").write_text(MAKE_KEY)
    (folder / "script.sh").write_text(script_of(read_steps()))
    environment = {"PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
    environment |= {"CHECKOUT": str(ROOT), "PYTHON": sys.executable, "RESULTS": str(folder), "HOST": HOST}
    separate = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]
    with (folder / "log").open("w") as log:
        done = subprocess.run(  # noqa: S603 — the page's own commands
            [*separate, "bash", "-euxo", "pipefail", folder / "script.sh"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            timeout=_LONGEST,
            check=False,
        )
    assert done.returncode == 0, (folder / "log").read_text()[-6_000:]
    return folder


def read(folder: Path, name: str) -> str:
    return (folder / name).read_text()


@pytest.mark.exhaustive
def test_a_turn_posted_through_nginx_arrives_and_is_sealed(results):
    assert read(results, "turn.status") == "201"
    statuses = Counter(json.loads(line)["status"] for line in read(results, "batch").splitlines())
    assert (statuses.total(), statuses.keys() - {201, 503}) == (999, set()), "A slow machine leaves some to another request: 503."
    assert statuses[201] >= 100
    assert re.search(r"north: [\d,]+ events sealed, 0 waiting", read(results, "verified"))


@pytest.mark.exhaustive
def test_pages_are_served_over_tls_only(results):
    page = read(results, "page")

    assert re.match(r"HTTP/\S+ 301", read(results, "plain"))
    assert f"ocation: https://{HOST}/queue/" in read(results, "plain")
    assert re.match(r"HTTP/2 200", page)
    assert "strict-transport-security: max-age=63072000" in page
    assert "set-cookie: __Host-csrf=" in page
    assert read(results, "style").startswith("200 text/css")


@pytest.mark.exhaustive
@pytest.mark.parametrize("after", ["restored", "upgraded"])
def test_after_restoring_and_upgrading_the_turn_is_there_and_all_agrees(results, after):
    assert read(results, f"{after}.status") == "200"
    assert json.loads(read(results, after))["id"] == json.loads(read(results, "turn"))["id"]
    assert "agree" in read(results, f"{after}.verified")


@pytest.mark.exhaustive
def test_systemd_finds_nothing_wrong_with_the_units(results):
    assert [line for line in read(results, "units").splitlines() if "footnote" in line] == []


@pytest.mark.exhaustive
def test_processes_write_no_errors(results):
    assert {path.name: path.read_text() for path in results.glob("footnote-*.log") if path.read_text()} == {
        "footnote-backup.service.log": read(results, "footnote-backup.service.log")
    }


def test_each_file_is_used_by_the_page():
    page = PAGE.read_text(encoding="utf-8")

    assert [file.name for file in FILES.iterdir() if file.suffix not in (".service", ".timer") and f"deploy/{file.name}" not in page] == []
    assert {f"{name}.service" for name in re.findall(r"`(footnote-[a-z]+)`", page)} >= {file.name for file in FILES.glob("*.service")}
