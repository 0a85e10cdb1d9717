"""HTTP: gunicorn's server and worker, middleware, error pages and htmx."""
