"""The Jinja2 backend, which tells the test client what a page was drawn from, as Django's own templates do."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.template.backends import jinja2
from django.test.signals import template_rendered


class Template(jinja2.Template):
    @property
    def name(self) -> str | None:
        return self.template.name

    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> str:
        context = {} if context is None else context
        page = super().render(context, request)
        template_rendered.send(sender=self, template=self, context=context)
        return page


class Jinja2(jinja2.Jinja2):
    def from_string(self, template_code: str) -> Template:
        return Template(self.env.from_string(template_code), self)

    def get_template(self, template_name: str) -> Template:
        return Template(super().get_template(template_name).template, self)
