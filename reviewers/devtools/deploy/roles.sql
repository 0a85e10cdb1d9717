-- The database and its two roles: the owner makes and changes tables, the web's role owns nothing. Run it as a superuser with psql, with the
-- passwords in the environment; it can be run again, also to change them.
\set ON_ERROR_STOP on
\getenv owner_password FOOTNOTE_OWNER_PASSWORD
\getenv web_password FOOTNOTE_WEB_PASSWORD

SELECT format('CREATE ROLE %I LOGIN', name)
FROM unnest(ARRAY['footnote_owner', 'footnote_web']) AS name WHERE to_regrole(name) IS NULL \gexec
ALTER ROLE footnote_owner PASSWORD :'owner_password';
ALTER ROLE footnote_web PASSWORD :'web_password';

SELECT 'CREATE DATABASE footnote OWNER footnote_owner TEMPLATE template0 ENCODING ''UTF8'' LOCALE ''C.UTF-8'''
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'footnote') \gexec
REVOKE ALL ON DATABASE footnote FROM PUBLIC;
GRANT CONNECT ON DATABASE footnote TO footnote_web;

-- Filters and search may use their indexes before row-level security has looked at a row: these functions tell nothing about it.
\connect footnote
ALTER FUNCTION arrayoverlap(anyarray, anyarray) LEAKPROOF;
ALTER FUNCTION ts_match_vq(tsvector, tsquery) LEAKPROOF;
