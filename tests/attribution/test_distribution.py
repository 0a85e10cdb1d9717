"""The engine is installed by itself, with its data, and needs nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = ("attribution", "pyproject.toml", "README.md", "LICENSE")
TURN = {
    "response": "Your risk is elevated [[SF:risk_level]], and she takes Aetna.",
    "context": {"safety": {"risk_level": "elevated"}, "provider_genome": {"insurance_accepted": ["Aetna"]}},
}

pytestmark = pytest.mark.exhaustive


def run(*command: object, **more: object) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, check=False, **more)  # noqa: S603 — our own
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    for name in NEEDED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder, folder)
    (built,) = folder.glob("footnote-*.whl")
    return built


def test_it_holds_the_whole_engine_and_nothing_else(wheel):
    files = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}

    own = {path for path in (ROOT / "attribution").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert files == {str(path.relative_to(ROOT)) for path in own}


def test_an_empty_environment_attributes_with_it(wheel, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "environment")
    python = tmp_path / "environment" / "bin" / "python"
    run(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel)
    ours = run(sys.executable, "-m", "attribution", input=json.dumps(TURN), cwd=ROOT)

    found = run(python, "-I", "-m", "attribution", input=json.dumps(TURN), cwd=tmp_path)

    assert found == ours
    assert [row["path"] for row in json.loads(found)["fields"]]
    listed = json.loads(run(python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"))
    assert {each["name"] for each in listed} - {"pip", "setuptools"} == {"footnote"}


def test_it_names_its_licence_and_asks_for_nothing(wheel, tmp_path):
    with ZipFile(wheel) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith("/METADATA"))
        told = packed.read(name).decode()

    assert "License-Expression: Apache-2.0" in told
    assert [line for line in told.splitlines() if line.startswith("Requires-Dist:") and "extra ==" not in line] == []
