"""The PostgreSQL server of a checkout, started if DATABASE_URL is not set."""
