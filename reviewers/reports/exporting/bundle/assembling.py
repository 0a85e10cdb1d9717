"""Makes ``verify.py``: the modules that verify, as they stand here, in one file that needs nothing else of the site."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import getsource

_VERIFIER = "reviewers.reports.exporting.bundle.verifier"
_MERKLE = "reviewers.ledger.merkle"
MODULES = (
    f"{_MERKLE}.hashing",
    f"{_MERKLE}.strict",
    f"{_MERKLE}.proofs",
    f"{_MERKLE}.note",
    f"{_MERKLE}.checkpoint",
    "reviewers.ledger.commitments",
    f"{_VERIFIER}.doubt",
    f"{_VERIFIER}.readme",
    f"{_VERIFIER}.archive",
    f"{_VERIFIER}.opening",
    f"{_VERIFIER}.sealed",
    f"{_VERIFIER}.columns",
    f"{_VERIFIER}.reading",
    f"{_VERIFIER}.disclosed",
    f"{_VERIFIER}.told",
    f"{_VERIFIER}.checking",
    f"{_VERIFIER}.main",
)
_QUOTE = "'" * 3

_HEAD = '''"""Verifies the bundle that this file came in: ``python verify.py bundle.zip [KEY ...]``.

Needs Python 3.11 or newer and the package ``cryptography``; no network, no site. The modules below are those of the site that made the
bundle, word for word. They are kept as texts so that they can import each other by their names.
"""

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

MODULES = {}
'''

_FOOT = '''

class Finder(MetaPathFinder, Loader):
    """Finds the modules above, and nothing else."""

    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            return ModuleSpec(name, self)
        if any(module.startswith(name + ".") for module in MODULES):
            return ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__spec__.name
        if name in MODULES:
            exec(compile(MODULES[name], "<" + name + ">", "exec"), module.__dict__)


if __name__ == "__main__":
    sys.meta_path.insert(0, Finder())
    from reviewers.reports.exporting.bundle.verifier.main import main

    sys.exit(main(sys.argv[1:]))
'''


@cache
def verify_program() -> bytes:
    """The text of ``verify.py``."""
    return "".join([_HEAD, *(_embedded(name) for name in MODULES), _FOOT]).encode()


def _embedded(name: str) -> str:
    source = _source(name)
    if _QUOTE in source or source.endswith("\\"):
        raise ValueError(f"{name} cannot be kept as a raw text")
    return f"\nMODULES[{name!r}] = r{_QUOTE}{source}{_QUOTE}\n"


def _source(name: str) -> str:
    if find_spec(name) is None:
        raise ValueError(f"There is no module {name}")
    return getsource(import_module(name))
