"""The web server's entry point."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from compiled import prefer
from reviewers.web.charsets import in_text

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reviewers.settings")
prefer()

application = in_text(get_wsgi_application())
