"""Code that all slices share and that knows none of them: configuration, tenancy, HTTP, logs, dates and model bases."""
