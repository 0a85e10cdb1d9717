"""The web server's entry point."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from compiled import prefer

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reviewers.settings")
prefer()

application = get_wsgi_application()
