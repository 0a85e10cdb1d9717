"""``python -m compiled`` builds the compiled engine; ``python -m compiled -m MODULE …`` runs a module with it, built first if need be."""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

from compiled import BUILDS, ENGINE, ROOT, can_build, folder, prefer

AS_WRITTEN = {Path(f"{name}.py") for name in ("__init__", "__main__", "engine", "codec", "prompting", "profile", "remembering")}
"""What stays Python: the front door checks what it is given itself, the others are not asked while fields are matched."""

WHOLE_AS_WRITTEN = {Path("documents"), Path("calibration")}
"""Stay Python too: they are fast enough as written, and would take as long to compile as all the rest."""

REMEMBERING = "cached_property"
"""Modules that keep what a property came to stay Python as well: once compiled, such a property is computed each time it is read."""


def main() -> None:
    """Build where it can be built, then run what is asked for."""
    if not can_build():
        sys.exit("There is no C compiler here, or Python's header files are missing: the engine stays as written.")
    if not folder().is_dir():
        build(folder())
    match sys.argv[1:]:
        case ["-m", module, *arguments]:
            prefer()
            sys.argv = [module, *arguments]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case []:
            print(f"The compiled engine stands in {folder().relative_to(ROOT)}.")
        case _:
            sys.exit("python -m compiled [-m MODULE …]")


def build(target: Path) -> None:
    """Compile the engine into ``target``, which comes into being whole or not at all; older builds go."""
    BUILDS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILDS, prefix="building-") as place:
        made = Path(place) / "made"
        shutil.copytree(ENGINE, made / "attribution", ignore=shutil.ignore_patterns("__pycache__"))
        _compile(made, Path(place) / "objects")
        for older in BUILDS.iterdir():
            if older.name != Path(place).name:
                shutil.rmtree(older)
        made.rename(target)


def _compile(made: Path, objects: Path) -> None:
    """Compile the copied source in place."""
    try:
        from mypyc.build import mypycify  # noqa: PLC0415  # comes with the tools of development
        from setuptools import Distribution  # noqa: PLC0415  # the same
    except ModuleNotFoundError as missing:
        sys.exit(f"The compiled engine needs the package {missing.name}: make .venv/dev.stamp")
    objects.mkdir()
    settings = objects / "mypy.ini"
    settings.write_text("[mypy]\npython_version = 3.11\n")
    os.chdir(made)  # mypyc names modules by their paths from here
    modules = [
        str(path.relative_to(made)) for path in sorted(made.rglob("*.py")) if _is_compiled(path, path.relative_to(made / "attribution"))
    ]
    options = ["--config-file", str(settings), "--cache-dir", str(objects / "mypy")]
    extensions = mypycify([*options, *modules], opt_level="3", debug_level="0", multi_file=True, target_dir=str(objects))
    command = Distribution({"name": "footnote-engine", "ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(made), str(objects)
    command.ensure_finalized()
    command.run()
    os.chdir(ROOT)


def _is_compiled(source: Path, module: Path) -> bool:
    if module in AS_WRITTEN or not WHOLE_AS_WRITTEN.isdisjoint(module.parents):
        return False
    return REMEMBERING not in source.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
