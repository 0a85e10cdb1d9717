"""Loads templates so that what is in them most, variables, conditions, loops and addresses, is drawn by our own nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.template import Origin, TemplateDoesNotExist
from django.template.base import Lexer, Node, NodeList, Parser, Template, Token, VariableNode
from django.template.defaulttags import CsrfTokenNode, ForNode, IfNode, URLNode
from django.template.loaders import base, cached

from reviewers.web.templating.expressions import QuickExpression
from reviewers.web.templating.nodes import QuickCsrfToken, QuickFor, QuickIf, QuickURL, QuickVariable

_OURS: dict[type[Node], Callable[[Any], Node]] = {
    VariableNode: QuickVariable.standing_for,
    IfNode: QuickIf.standing_for,
    ForNode: QuickFor.standing_for,
    URLNode: QuickURL.standing_for,
    CsrfTokenNode: QuickCsrfToken.standing_for,
}


class QuickParser(Parser):
    """Puts our nodes where Django puts its own; tags that are not ours take whatever they take."""

    extra_data: dict[str, Any]

    def compile_filter(self, token: str) -> QuickExpression:
        """An expression of a tag or a variable."""
        return QuickExpression(token, self)

    def extend_nodelist(self, nodelist: NodeList, node: Node, token: Token) -> None:
        """Add a node, or the one that stands for it."""
        super().extend_nodelist(nodelist, _quick(node), token)


class QuickTemplate(Template):
    """A template that is parsed by ``QuickParser``."""

    def compile_nodelist(self) -> NodeList:
        """As Django does, without what it keeps for its page of errors, which this site never shows."""
        parser = QuickParser(Lexer(self.source).tokenize(), self.engine.template_libraries, self.engine.template_builtins, self.origin)
        nodes = parser.parse()
        self.extra_data = parser.extra_data
        return nodes


class _QuickLoader(base.Loader):
    get_contents: Callable[[Origin], str]

    def get_template(self, template_name: str, skip: list[Origin] | None = None) -> Template:
        tried: list[tuple[Origin, str]] = []
        for origin in self.get_template_sources(template_name):
            if skip is not None and origin in skip:
                tried.append((origin, "Skipped to avoid recursion"))
                continue
            try:
                contents = self.get_contents(origin)
            except TemplateDoesNotExist:
                tried.append((origin, "Source does not exist"))
                continue
            return QuickTemplate(contents, origin, str(origin.template_name), self.engine)
        raise TemplateDoesNotExist(template_name, tried=tried)


class Loader(cached.Loader, _QuickLoader):
    """Keeps the templates it has loaded."""


def _quick(node: Node) -> Node:
    """Only for exactly these kinds: one of another package that inherits from them draws itself."""
    make = _OURS.get(type(node))
    return make(node) if make else node
