"""The names under which views and forms read what comes in: found in the code, so that a new one is tried with hostile values too."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from django import forms

import reviewers
from tests.web.endpoints import addresses

_READS = frozenset({"get", "getlist", "pop", "setlist"})
_SOURCES = frozenset({"GET", "POST", "data", "query", "given", "form"})
_ROOT = Path(reviewers.__file__).parent


@cache
def names_of_all() -> tuple[str, ...]:
    """Every name that is read anywhere, and every field of a form."""
    modules = [".".join(["reviewers", *path.relative_to(_ROOT).with_suffix("").parts]) for path in sorted(_ROOT.rglob("*.py"))]
    views = [name for name in modules if "migrations" not in name and "management" not in name and not name.endswith("__init__")]
    return tuple(sorted({name for module in views for name in _names_in(import_module(module))}))


@cache
def names_of(address_name: str) -> tuple[str, ...]:
    """Return the parameters that an address's view may read: in its module, and in the site's modules that it uses."""
    view = next(inspect.unwrap(address.view) for address in addresses() if address.name == address_name)
    module = inspect.getmodule(view)
    near = [module, *_imported(module)] if module and module.__name__.startswith("reviewers.") else []
    return tuple(sorted({name for each in near for name in _names_in(each)}))


def _imported(module: ModuleType) -> Iterator[ModuleType]:
    """The modules of the site that a module takes something from."""
    for value in vars(module).values():
        name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
        if isinstance(name, str) and name.startswith("reviewers.") and name in sys.modules:
            yield sys.modules[name]


@cache
def _names_in(module: ModuleType) -> frozenset[str]:
    found = set(_read_in(ast.parse(inspect.getsource(module))))
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, forms.BaseForm) and value.__module__.startswith("reviewers."):
            found |= set(getattr(value, "base_fields", ()))
    return frozenset(found)


def _read_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=source, attr=method), args=[ast.Constant(value=str(name)), *_]) if method in _READS:
                yield from _if_given(source, name)
            case ast.Subscript(value=source, slice=ast.Constant(value=str(name))):
                yield from _if_given(source, name)


def _if_given(source: ast.expr, name: str) -> Iterable[str]:
    last: Any = source.attr if isinstance(source, ast.Attribute) else getattr(source, "id", "")
    return [name] if last in _SOURCES else []
