"""The parameters that a request was asked for, so that values are tried only where something depends on them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from django.http import HttpRequest, QueryDict

_BY_NAME = ("__getitem__", "__contains__", "get", "getlist")
_WHOLE = ("__iter__", "__len__", "__eq__", "__or__", "__ror__", "__reversed__", "__repr__", "__copy__", "__deepcopy__")
_WHOLE += ("keys", "values", "items", "lists", "dict", "copy", "urlencode")


class Asked(Container[str]):
    """The names that a view asked for; every name, if it read the parameters as a whole or the address with its query."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.whole = False

    def __contains__(self, name: object) -> bool:
        return self.whole or name in self.names


@contextmanager
def parameters_asked_for() -> Iterator[Asked]:
    """Watch the forms and queries of requests, from when they are parsed: they are immutable then."""
    asked = Asked()

    def by_name(method: Callable[..., Any]) -> Callable[..., Any]:
        def watched(given: QueryDict, name: str, *arguments: Any, **more: Any) -> Any:
            if not given._mutable:
                asked.names.add(name)
            return method(given, name, *arguments, **more)

        return watched

    def as_a_whole(method: Callable[..., Any]) -> Callable[..., Any]:
        def watched(given: QueryDict | HttpRequest, *arguments: Any, **more: Any) -> Any:
            asked.whole = asked.whole or not getattr(given, "_mutable", False)
            return method(given, *arguments, **more)

        return watched

    methods = {name: by_name(getattr(QueryDict, name)) for name in _BY_NAME}
    methods |= {name: as_a_whole(getattr(QueryDict, name)) for name in _WHOLE}
    with patch.multiple(QueryDict, **methods), patch.object(HttpRequest, "get_full_path", as_a_whole(HttpRequest.get_full_path)):
        yield asked
