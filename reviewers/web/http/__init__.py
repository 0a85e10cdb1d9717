"""Requests and responses: the server, middleware, error pages, htmx."""
