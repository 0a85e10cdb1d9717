"""The WSGI application, with the compiled engine if there is one."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from compiled import prefer
from reviewers.web.http.middleware import refuse_unreadable_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reviewers.settings")
prefer()

application = refuse_unreadable_bodies(get_wsgi_application())
