"""What the slices share and what knows none of them: settings, database, pages, middleware."""
