"""Settings. What a deployment chooses comes from the environment; `python manage.py check --deploy` says what is missing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from csp.constants import NONE, SELF
from jinja2 import StrictUndefined

from reviewers.web.config import (
    check_endpoint,
    read_address,
    read_bool,
    read_databases,
    read_list,
    read_networks,
    read_number,
    read_price,
    read_rate,
    read_secret,
    read_text,
)
from reviewers.web.logs import cut_addresses, encode_controls, place_exceptions

ROOT = Path(__file__).resolve().parent.parent
VAR = Path(read_text("FOOTNOTE_VAR", str(ROOT / "var")))

IS_LOCAL = read_bool("FOOTNOTE_LOCAL", default=True)
"""A checkout on a developer's machine, over plain HTTP on 127.0.0.1. A deployment sets FOOTNOTE_LOCAL=0."""

IS_BEHIND_PROXY = read_bool("FOOTNOTE_BEHIND_PROXY", default=False)
"""The site runs behind one reverse proxy, which ends TLS and sets X-Forwarded-Proto and X-Forwarded-For."""

DEBUG = False
SECRET_KEY = read_secret("FOOTNOTE_SECRET_KEY", VAR / "secret-key", may_generate=IS_LOCAL)
ALLOWED_HOSTS = read_list("FOOTNOTE_HOSTS", "127.0.0.1,localhost" if IS_LOCAL else "")

ADDRESS = read_text("FOOTNOTE_ADDRESS", read_address(ALLOWED_HOSTS, is_local=IS_LOCAL)).rstrip("/")
"""The site's address in mail and API responses. It is never taken from a request's Host header, which anybody can write."""

DATABASES = read_databases(VAR / "postgresql")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "web_cache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    "rates": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "rates",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
}
"""Request limits and used codes are in the database, so that they hold in every process. The rates of keys are counted in each process."""
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "csp",
    "django_htmx",
    "django_structlog",
    "procrastinate.contrib.django",
    "reviewers.web",
    "reviewers.accounts",
    "reviewers.ledger",
    "reviewers.snapshots",
    "reviewers.review",
    "reviewers.calibration",
    "reviewers.quality",
    "reviewers.reports",
    "reviewers.webhooks",
    "reviewers.demonstration",
]

MIDDLEWARE = [
    "reviewers.web.http.request_counts.count_requests",
    "reviewers.web.http.middleware.plain_cookies",
    "reviewers.web.http.middleware.without_tenant",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "reviewers.web.logs.PathOnly",
    "reviewers.accounts.middleware.end_expired_session",
    "allauth.account.middleware.AccountMiddleware",
    "reviewers.web.http.middleware.no_store",
    "reviewers.web.http.middleware.utf8_forms",
    "reviewers.web.http.middleware.bounded_forms",
    "reviewers.web.http.middleware.explain_refused_methods",
    "reviewers.accounts.middleware.member",
]

ROOT_URLCONF = "reviewers.urls"
WSGI_APPLICATION = "reviewers.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "NAME": "jinja2",  # our pages
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [ROOT / "templates"],
        "OPTIONS": {
            "environment": "reviewers.web.jinja.environment",
            "undefined": StrictUndefined,
            "trim_blocks": True,
            "lstrip_blocks": True,
            "context_processors": [
                "django.contrib.messages.context_processors.messages",
                "reviewers.accounts.context_processors.member",
                "reviewers.review.inbox.waiting",
            ],
        },
    },
    {
        "NAME": "django",  # the sign-in package's pages
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates" / "sign_in"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "reviewers.accounts.context_processors.frame",
            ]
        },
    },
]

STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [ROOT / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "reviewers.web.static_files.StaticFilesStorage"},
}
WHITENOISE_MAX_AGE = 31_536_000

LANGUAGE_CODE = "en-us"
TIME_ZONE = read_text("FOOTNOTE_TIME_ZONE", "UTC")
USE_I18N = False
USE_TZ = True

# Sign-in

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["reviewers.accounts.middleware.MemberBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ["email", "name"]},
    },
    {"NAME": "reviewers.accounts.sign_in.passwords.StrengthValidator"},
]
if BREACHED_PASSWORDS := read_text("FOOTNOTE_BREACHED_PASSWORDS"):
    AUTH_PASSWORD_VALIDATORS.append(
        {"NAME": "reviewers.accounts.sign_in.passwords.BreachedValidator", "OPTIONS": {"path": BREACHED_PASSWORDS}}
    )
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "reviewers.accounts.sign_in.adapter.ClosedAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_SESSION_REMEMBER = False
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
PROOF_LASTS = timedelta(seconds=read_number("FOOTNOTE_PROOF_SECONDS", 300))
"""The time for which a proof of identity is valid, for one purpose."""
INVITATION_LASTS = timedelta(days=read_number("FOOTNOTE_INVITATION_DAYS", 7))
TWO_PEOPLE_APART = timedelta(days=read_number("FOOTNOTE_TWO_PEOPLE_DAYS", 7))
"""The time for which two people may not decide together after one of them joined by an invitation."""
SECOND_FACTOR_REQUIRED = read_bool("FOOTNOTE_SECOND_FACTOR", default=not IS_LOCAL)
"""Everybody needs a second factor; if it is off, each organisation decides."""
PASSWORD_RESET_TIMEOUT = 60 * 60
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "reviewers.accounts.sign_in.passwords.TokenGenerator"  # noqa: S105 — the name of a class
ACCOUNT_FORMS = {
    "reset_password": "reviewers.accounts.sign_in.forms.ResetForm",
    "change_password": "reviewers.accounts.sign_in.forms.ChangeForm",
}
ACCOUNT_REAUTHENTICATION_TIMEOUT = int(PROOF_LASTS.total_seconds())
ACCOUNT_RATE_LIMITS = {"login": None}  # the package counts by address, where one person could keep everybody out (decision 30)
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if IS_BEHIND_PROXY else 0
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody signs up: an administrator has given the address
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"  # so that a passkey is two factors
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = IS_LOCAL
MFA_RATE_LIMITS = {"webauthn_login": "60/m/ip"}  # nobody guesses a passkey, and a hospital has one address
MFA_TOTP_ISSUER = "Footnote"
MFA_ADAPTER = "reviewers.accounts.sign_in.adapter.SealingAdapter"
MFA_FORMS = {
    "authenticate": "reviewers.accounts.sign_in.forms.CodeForm",
    "authenticate_webauthn": "reviewers.accounts.sign_in.second_factors.SecondFactorForm",
    "add_webauthn": "reviewers.accounts.sign_in.second_factors.AddPasskeyForm",
    "login_webauthn": "reviewers.accounts.sign_in.second_factors.PasskeySignInForm",
}
FACTOR_KEYS = [
    read_secret("FOOTNOTE_FACTOR_KEY", VAR / "factor-key", may_generate=IS_LOCAL),
    *read_list("FOOTNOTE_FACTOR_KEYS_BEFORE", ""),
]
"""Keys that encrypt the secrets of second factors: the first one encrypts, all of them decrypt."""
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend" if IS_LOCAL else "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = read_text("FOOTNOTE_EMAIL_HOST", "localhost")
EMAIL_PORT = read_number("FOOTNOTE_EMAIL_PORT", 25)
EMAIL_HOST_USER = read_text("FOOTNOTE_EMAIL_USER")
EMAIL_HOST_PASSWORD = read_text("FOOTNOTE_EMAIL_PASSWORD")
EMAIL_USE_TLS = read_bool("FOOTNOTE_EMAIL_STARTTLS", default=False)
EMAIL_USE_SSL = read_bool("FOOTNOTE_EMAIL_TLS", default=False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = read_text("FOOTNOTE_EMAIL_FROM", "footnote@localhost")

# Sessions, cookies, transport

SESSION_ENGINE = "reviewers.accounts.sessions"
SESSION_SERIALIZER = "django.contrib.sessions.serializers.JSONSerializer"
SESSION_IDLE = timedelta(seconds=read_number("FOOTNOTE_IDLE_SECONDS", 15 * 60))
SESSION_LONGEST = timedelta(seconds=read_number("FOOTNOTE_SESSION_SECONDS", 12 * 60 * 60))
SESSION_WARNING = timedelta(seconds=read_number("FOOTNOTE_WARNING_SECONDS", 60))
"""The time before the end of a session at which the page warns."""
SESSION_COOKIE_AGE = int(SESSION_LONGEST.total_seconds())
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
CSRF_FAILURE_VIEW = "reviewers.web.http.responses.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
if not IS_LOCAL:
    SESSION_COOKIE_NAME = "__Host-session"
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_NAME = "__Host-csrf"
    CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^health/"]  # probes come to the server itself, over plain HTTP; the page tells nothing
    SECURE_HSTS_SECONDS = 63_072_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if IS_BEHIND_PROXY else None

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],  # data: for the QR code of a second factor
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# The ledger: private keys and last checkpoints are outside the database; its name is in every checkpoint

LEDGER_FOLDER = Path(read_text("FOOTNOTE_LEDGER", str(VAR / "ledger")))
LEDGER_NAME = read_text("FOOTNOTE_LEDGER_NAME", "footnote")

# Rates of API requests, in each process; empty for no limit

KEY_RATE = read_rate("FOOTNOTE_KEY_RATE", "1200/m")
KEY_FAILURE_RATE = read_rate("FOOTNOTE_KEY_FAILURE_RATE", "60/m")

# Limits of ingest and of forms, in bytes

LARGEST_RECORD = 5 * 1024 * 1024
LARGEST_BATCH = 64 * 1024 * 1024
LARGEST_FORM = 1024 * 1024
LARGEST_ANONYMOUS_FORM = 128 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = LARGEST_BATCH
LONGEST_INGEST = 20
"""Seconds after which a request with many records takes no more of them, below the server's limit for a request."""
DATA_UPLOAD_MAX_NUMBER_FILES = 1  # a file is held in memory, and no form takes more than one
FILE_UPLOAD_HANDLERS = ["reviewers.web.http.middleware.BoundedUploadHandler"]

# Traces that become turns

TRACE_QUIET = timedelta(seconds=read_number("FOOTNOTE_TRACE_QUIET_SECONDS", 5))
"""The time without new spans after which a trace that has its root is complete."""
TRACE_LONGEST = timedelta(seconds=read_number("FOOTNOTE_TRACE_SECONDS", 10 * 60))
"""The longest time that a trace waits for its spans."""

# The model endpoint for citation searches and judging; none unless it is named

MODEL_URL = read_text("FOOTNOTE_MODEL_URL")
MODEL_NAME = read_text("FOOTNOTE_MODEL_NAME")
MODEL_KEY = read_text("FOOTNOTE_MODEL_KEY")
MODEL_TIMEOUT = read_number("FOOTNOTE_MODEL_TIMEOUT", 60)
MODEL_REQUESTS_A_DAY = read_number("FOOTNOTE_MODEL_REQUESTS_A_DAY", 2_000)
MODEL_JUDGES = read_bool("FOOTNOTE_JUDGE", default=False)
JUDGE_PRICE_IN = read_price("FOOTNOTE_JUDGE_PRICE_IN")
JUDGE_PRICE_OUT = read_price("FOOTNOTE_JUDGE_PRICE_OUT")
check_endpoint(MODEL_URL, MODEL_NAME, MODEL_KEY, MODEL_TIMEOUT, may_be_plain=read_bool("FOOTNOTE_MODEL_PLAIN_HTTP", default=False))

# Webhooks: networks that messages may be sent into though they are private, and the seconds that an endpoint has to answer

WEBHOOK_NETWORKS = read_networks("FOOTNOTE_WEBHOOK_NETWORKS")
WEBHOOK_TIMEOUT = read_number("FOOTNOTE_WEBHOOK_SECONDS", 15)

NINJA_NUM_PROXIES = None

METRICS_TOKEN = read_text("FOOTNOTE_METRICS_TOKEN")
"""The bearer token of ``/metrics``; without it there is no such page."""

TRACES_URL = read_text("FOOTNOTE_TRACES_URL")
"""The address that spans of the site itself are sent to, over OTLP; without it there are none."""
if TRACES_URL:
    MIDDLEWARE.insert(0, "reviewers.web.tracing.trace_requests")

# Logs: one event a line, each with a request id, and no word of an answer, a user's message or a field

LINE_OF_EVERYBODY: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso"),
]
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": LINE_OF_EVERYBODY,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                place_exceptions,
                cut_addresses,
                structlog.processors.JSONRenderer() if not IS_LOCAL else structlog.processors.LogfmtRenderer(),
                encode_controls,
            ],
        },
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": read_text("FOOTNOTE_LOG_LEVEL", "WARNING")},
    "loggers": {"django.server": {"level": "ERROR"}, "django.security.DisallowedHost": {"level": "CRITICAL"}},
}
structlog.configure(
    processors=[structlog.stdlib.filter_by_level, *LINE_OF_EVERYBODY, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False

SILENCED_SYSTEM_CHECKS: list[str] = []

PROCRASTINATE_AUTODISCOVER_MODULE_NAME = "jobs"
