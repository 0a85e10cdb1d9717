"""The PostgreSQL server of a checkout, started where no DATABASE_URL is set."""
