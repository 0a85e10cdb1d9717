"""Django's PostgreSQL backend, which tells the database whose rows may be seen."""
