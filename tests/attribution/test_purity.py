"""The engine needs the standard library only, and of that nothing that reads a clock, a network, a file or chance."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import attribution

PACKAGE = Path(attribution.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
IMPURE = {"today", "now", "utcnow", "time", "monotonic", "perf_counter", "open", "getenv", "urlopen", "eval", "exec"}
ALLOWED = {
    *(
        "__future__",
        "collections",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "itertools",
        "bisect",
        "math",
        "typing",
    ),
    *("codecs", "hashlib", "json", "pkgutil", "re", "sys", "unicodedata"),
}
FORBIDDEN = ("django", "reviewers", "socket", "ssl", "urllib", "http", "random", "secrets", "subprocess", "sqlite3", "asyncio", "pydantic")


def imported(path: Path) -> set[str]:
    """The top-level packages that a module imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        if isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def called(path: Path) -> set[str]:
    """The last names of what a module calls."""
    functions = [node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    return {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in functions}


def test_its_modules_import_the_standard_library_and_their_own_package_only() -> None:
    allowed = {path: ALLOWED | {"attribution"} | ({"signal"} if path.name == "__main__.py" else set()) for path in MODULES}
    assert {path: found for path in MODULES if (found := imported(path) - allowed[path])} == {}


def test_its_modules_ask_no_clock_no_file_and_no_environment() -> None:
    assert {path: found for path in MODULES if (found := called(path) & IMPURE)} == {}


def test_importing_the_engine_loads_nothing_that_is_not_needed() -> None:
    loaded = f"print(*[name for name in {FORBIDDEN!r} if name in sys.modules])"
    script = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); import attribution; {loaded}"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, check=True)  # noqa: S603 - our own script
    assert done.stdout.strip() == b""


def test_the_front_door_has_what_it_announces() -> None:
    assert all(hasattr(attribution, name) for name in attribution.__all__)
