"""Nodes that draw what Django's draw, with less on the way."""

from __future__ import annotations

from html import escape
from typing import Any, Self

from django.conf import settings
from django.template.base import FilterExpression, NodeList, TextNode, VariableNode, render_value_in_context
from django.template.defaulttags import CsrfTokenNode, ForNode, IfNode, TemplateLiteral, URLNode
from django.utils.safestring import SafeString, mark_safe

_NUMBERS_ARE_PLAIN = not settings.USE_THOUSAND_SEPARATOR


class QuickVariable(VariableNode):
    """A value, escaped."""

    def __init__(self, filter_expression: FilterExpression) -> None:
        super().__init__(filter_expression)
        self._resolve = filter_expression.resolve

    @classmethod
    def standing_for(cls, node: VariableNode) -> Self:
        """For one of Django's."""
        return cls(node.filter_expression)

    def render(self, context: Any) -> str:
        """What Django's would draw."""
        value = self._resolve(context)
        kind = type(value)
        if kind is SafeString:
            return value  # type: ignore[no-any-return]  # it is one
        if context.autoescape:
            if kind is str:
                return escape(value)
            if kind is int and _NUMBERS_ARE_PLAIN:
                return str(value)
        return render_value_in_context(value, context)

    render_annotated = render


class QuickIf(IfNode):
    """The first branch whose condition holds."""

    def __init__(self, conditions_nodelists: Any) -> None:
        super().__init__(conditions_nodelists)
        self._branches = [(*_condition_of(condition), *_body_of(nodes)) for condition, nodes in conditions_nodelists]

    @classmethod
    def standing_for(cls, node: IfNode) -> Self:
        """For one of Django's."""
        return cls(node.conditions_nodelists)

    def render(self, context: Any) -> str:
        """What Django's would draw."""
        for expression, condition, nodes, text in self._branches:
            if expression.resolve(context, True) if expression else condition is None or condition.eval(context):  # noqa: FBT003 — as it is called
                return text if nodes is None else "".join([node.render_annotated(context) for node in nodes])
        return ""

    render_annotated = render


def _condition_of(condition: Any) -> tuple[Any, Any]:
    """The expression where a condition is nothing else, and the condition."""
    return (condition.value if type(condition) is TemplateLiteral else None), condition


def _body_of(nodes: NodeList) -> tuple[Any, str]:
    """The nodes of a branch, or its text where it is nothing else."""
    if all(type(node) is TextNode for node in nodes):
        return None, "".join(node.s for node in nodes)  # type: ignore[attr-defined]  # text nodes
    return nodes, ""


class QuickFor(ForNode):
    """Each of some values in turn."""

    sequence: Any
    nodelist_loop: Any
    nodelist_empty: Any

    @classmethod
    def standing_for(cls, node: ForNode) -> Self:
        """For one of Django's."""
        return cls(node.loopvars, node.sequence, node.is_reversed, node.nodelist_loop, node.nodelist_empty)

    def render(self, context: Any) -> str:
        """What Django's would draw."""
        parent = context.get("forloop", {})
        values = self.sequence.resolve(context, True)  # noqa: FBT003 — as it is called
        values = [] if values is None else values if hasattr(values, "__len__") else list(values)
        context.dicts.append(scope := {})
        try:
            if not (count := len(values)):
                return str(self.nodelist_empty.render(context))
            scope["forloop"] = loop = {"parentloop": parent}
            drawn: list[str] = []
            for place, value in enumerate(reversed(values) if self.is_reversed else values):
                loop |= _place_in_loop(place, count)
                self._draw(value, scope, context, drawn)
            return mark_safe("".join(drawn))  # noqa: S308 — what nodes have drawn is escaped
        finally:
            context.dicts.pop()

    def _draw(self, value: Any, scope: dict[str, Any], context: Any, drawn: list[str]) -> None:
        """What the loop holds for one value."""
        names = self.loopvars
        if len(names) == 1:
            scope[names[0]] = value
            drawn += [node.render_annotated(context) for node in self.nodelist_loop]
            return
        length = len(value) if hasattr(value, "__len__") else 1
        if length != len(names):
            raise ValueError(f"Need {len(names)} values to unpack in for loop; got {length}. ")
        context.dicts.append(dict(zip(names, value, strict=True)))
        drawn += [node.render_annotated(context) for node in self.nodelist_loop]
        context.dicts.pop()

    render_annotated = render


def _place_in_loop(place: int, count: int) -> dict[str, Any]:
    return {
        "counter0": place,
        "counter": place + 1,
        "revcounter": count - place,
        "revcounter0": count - place - 1,
        "first": place == 0,
        "last": place == count - 1,
    }


class QuickURL(URLNode):
    """An address, put together once a page, however many rows ask for it."""

    @classmethod
    def standing_for(cls, node: URLNode) -> Self:
        """For one of Django's."""
        return cls(node.view_name, node.args, node.kwargs, node.asvar)

    def render(self, context: Any) -> str:
        """What Django's would draw."""
        if self.asvar:
            return super().render(context)
        given = [each.resolve(context) for each in (self.view_name, *self.args, *self.kwargs.values())]
        asked = (context.autoescape, *self.kwargs, *map(type, given), *given)
        known: dict[Any, str] = context.render_context.dicts[0].setdefault(QuickURL, {})
        if (url := known.get(asked)) is None:
            known[asked] = url = super().render(context)
        return url

    render_annotated = render


class QuickCsrfToken(CsrfTokenNode):
    """The token of a form."""

    @classmethod
    def standing_for(cls, node: CsrfTokenNode) -> Self:
        """For one of Django's."""
        del node
        return cls()

    def render(self, context: Any) -> str:
        """What Django's would draw."""
        token = context.get("csrf_token")
        if type(token) is not str or token == "NOTPROVIDED":  # noqa: S105 — what Django says where there is none
            return super().render(context)
        return f'<input type="hidden" name="csrfmiddlewaretoken" value="{escape(token)}">'

    render_annotated = render
