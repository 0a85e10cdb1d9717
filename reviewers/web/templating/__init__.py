"""Django's templates, drawn by quicker nodes: the same language, and byte for byte the same pages."""
