"""The storage of style sheets and scripts, whose names carry a digest of their content."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage

_IMPORT = (r"""(?P<matched>import "(?P<url>\./[^"]+)";)""", """import "%(url)s";""")
_IMPORT_NAMES = (r"""(?P<matched>import (?P<names>\{[^}]*\}) from "(?P<url>\./[^"]+)";)""", """import %(names)s from "%(url)s";""")


class StaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Serve static files by names with a digest, also those that one of our scripts imports from another one.

    Django's own switch for this, ``support_js_module_import_aggregation``, also rewrites the packages' scripts, where it takes an
    example in a comment of htmx for an import.
    """

    patterns = (*CompressedManifestStaticFilesStorage.patterns, ("js/*.js", (_IMPORT, _IMPORT_NAMES)))
