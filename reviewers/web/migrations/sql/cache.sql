-- The table of Django's cache: what is counted or used once counts in every process.

-- One row a key; Django's DatabaseCache reads and writes it.
CREATE TABLE web_cache (cache_key varchar(255) PRIMARY KEY, value text NOT NULL, expires timestamptz NOT NULL);

-- For throwing away what has expired.
CREATE INDEX web_cache_expires ON web_cache (expires);
