"""Django's templates, which let go of what a page was drawn from as soon as it is drawn.

Its context holds what it was given in a part that refers back to it. Nothing but the collector would take that apart, page after page, once
there are tens of thousands of pieces: whoever asks for a page at that moment waits five times as long.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.template import TemplateDoesNotExist
from django.template.backends import django as usual
from django.template.context import make_context
from django.utils.safestring import SafeString


class Template(usual.Template):
    """One that was loaded."""

    def render(self, context: dict[str, Any] | None = None, request: HttpRequest | None = None) -> SafeString:
        """The page. Raises ``TemplateDoesNotExist`` as Django does."""
        given = make_context(context, request, autoescape=self.backend.engine.autoescape)
        try:
            return self.template.render(given)
        except TemplateDoesNotExist as error:
            usual.reraise(error, self.backend)
            raise
        finally:
            given.dicts.clear()


class Templates(usual.DjangoTemplates):
    """The backend that the settings name."""

    def from_string(self, template_code: str) -> Template:
        """One out of a text."""
        return Template(self.engine.from_string(template_code), self)

    def get_template(self, template_name: str) -> Template:
        """One by its name. Raises ``TemplateDoesNotExist``."""
        try:
            return Template(self.engine.get_template(template_name), self)
        except TemplateDoesNotExist as error:
            usual.reraise(error, self)
            raise
