"""Scripts and style sheets are served by names that carry a digest of their content."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

_IMPORTED = re.compile(r'^import (?:.* from )?"(\..*)";$', re.MULTILINE)


@pytest.fixture
def collected(settings, tmp_path) -> Path:
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "reviewers.web.static_files.StaticFilesStorage"}}
    call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path


def test_a_script_imports_others_by_names_with_their_digest(collected):
    scripts = [path for path in (collected / "js").rglob("*.js") if re.search(r"\.[0-9a-f]{12}\.js$", path.name)]
    imported = [script.parent / name for script in scripts for name in _IMPORTED.findall(script.read_text())]

    assert imported
    assert {path for path in imported if not (path.is_file() and re.search(r"\.[0-9a-f]{12}\.js$", path.name))} == set()


def test_a_script_has_one_task_and_fewer_than_200_lines():
    scripts = list(settings.STATICFILES_DIRS[0].rglob("*.js"))

    assert scripts
    assert {path.name: lines for path in scripts if (lines := path.read_text().count("\n")) >= 200} == {}
