"""The separation of organisations: the current tenant, and row-level security in the database."""
