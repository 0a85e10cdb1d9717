"""Expressions of templates, found by the shortest way there is for what is met; whatever is not plain is left to Django."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.template.base import FilterExpression, Parser, Variable, VariableDoesNotExist
from django.utils.safestring import SafeData, mark_safe
from django.utils.timezone import template_localtime  # type: ignore[attr-defined]  # one that Django's types leave out

_OTHER, _ATTRIBUTES, _KEYS, _PLACES = range(1, 5)

_ways: dict[type, int] = {}
"""By which way the parts of a kind of value are reached."""


class QuickVariable(Variable):
    """A variable whose parts are attributes of plain objects and keys of dictionaries, as nearly all are."""

    __slots__ = ("_name", "_parts")

    def __init__(self, variable: Variable) -> None:
        super().__init__(variable.var)
        self._name, *parts = self.lookups or ()
        self._parts = [(part, int(part) if part.isdecimal() else None) for part in parts]

    def resolve(self, context: Any) -> Any:
        """Its value; raises ``VariableDoesNotExist``."""
        name = self._name
        for scope in reversed(context.dicts):
            if name in scope:
                value = scope[name]
                break
        else:
            return self._resolve_missing(context)
        try:
            for part, place in self._parts:
                way = _OTHER if callable(value) else _ways.get(type(value)) or _way_of(type(value))
                if way is _ATTRIBUTES or (way is _PLACES and place is None):
                    value = getattr(value, part)
                elif way is _OTHER:
                    return super().resolve(context)
                else:
                    value = value[part if way is _KEYS else place]
        except AttributeError:
            if _lacks(type(value), part):  # type: ignore[arg-type]  # classes can be hashed
                raise VariableDoesNotExist("Failed lookup for key [%s] in %r", (part, value)) from None  # type: ignore[arg-type]  # as Django does
            return super().resolve(context)
        except Exception:  # noqa: BLE001 — which failures are silent is Django's to say
            return super().resolve(context)
        return super().resolve(context) if callable(value) else value

    def _resolve_missing(self, context: Any) -> Any:
        """What no scope has may be an attribute of the context itself."""
        if hasattr(context, self._name):
            return super().resolve(context)
        raise VariableDoesNotExist("Failed lookup for key [%s] in %r", (self._name, context))  # type: ignore[arg-type]  # as Django does


class QuickExpression(FilterExpression):
    """A variable or a constant with its filters, of which is known beforehand how they are called."""

    __slots__ = ("_steps",)
    is_var: bool

    def __init__(self, token: str, parser: Parser) -> None:
        super().__init__(token, parser)
        self.var: Any = _quick(self.var)
        steps = [_Step(func, [(is_variable, _quick(value)) for is_variable, value in args]) for func, args in self.filters]
        self._steps: list[Any] = [step.func if step.is_plain else step for step in steps]

    def resolve(self, context: Any, ignore_failures: bool = False) -> Any:  # noqa: FBT001, FBT002 — as it is called
        """Its value; of a variable that is not there nothing, or the empty text."""
        value = self.var
        if self.is_var:
            try:
                value = value.resolve(context)
            except VariableDoesNotExist:
                value = None if ignore_failures else context.template.engine.string_if_invalid
        for step in self._steps:
            value = step.take(value, context) if type(step) is _Step else step(value)
        return value


class _Step:
    """A filter; a plain one is called with the value and nothing else."""

    __slots__ = ("_arguments", "_expects_localtime", "_is_safe", "_needs_autoescape", "func", "is_plain")

    def __init__(self, func: Callable[..., Any], arguments: list[tuple[bool, Any]]) -> None:
        self.func = func
        self._arguments = [(is_variable, value if is_variable else mark_safe(value)) for is_variable, value in arguments]  # noqa: S308 — a constant of the template
        self._expects_localtime = getattr(func, "expects_localtime", False)
        self._needs_autoescape = getattr(func, "needs_autoescape", False)
        self._is_safe = getattr(func, "is_safe", False)
        self.is_plain = not (arguments or self._expects_localtime or self._needs_autoescape or self._is_safe)

    def take(self, value: Any, context: Any) -> Any:
        """The filtered value."""
        arguments = [argument.resolve(context) if is_variable else argument for is_variable, argument in self._arguments]
        if self._expects_localtime:
            value = template_localtime(value, context.use_tz)
        named = {"autoescape": context.autoescape} if self._needs_autoescape else {}
        made = self.func(value, *arguments, **named)
        return mark_safe(made) if self._is_safe and isinstance(value, SafeData) else made  # noqa: S308 — as the filter says of itself


def _quick(variable: Any) -> Any:
    """A variable that is looked up and not translated; constants are what they are."""
    if isinstance(variable, Variable) and variable.lookups is not None and not variable.translate:
        return QuickVariable(variable)
    return variable


@lru_cache(maxsize=10_000)
def _lacks(kind: type, part: str) -> bool:
    """Whether no object of a kind has an attribute of this name, as one whose attributes have slots and whose kind knows none such."""
    is_closed = kind.__dictoffset__ == 0 and not any(
        name in vars(each) for each in kind.__mro__[:-1] for name in ("__dir__", "__getattr__")
    )
    return is_closed and not hasattr(kind, part)


def _way_of(kind: type) -> int:
    way = _OTHER
    if not hasattr(kind, "__getitem__"):
        way = _ATTRIBUTES
    elif kind is dict:
        way = _KEYS
    elif kind.__getitem__ in (tuple.__getitem__, list.__getitem__):
        way = _PLACES
    _ways[kind] = way
    return way
