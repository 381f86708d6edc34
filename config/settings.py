"""Django's settings, read from the environment through ``config.env`` and nowhere else."""

import os
from typing import Any

from csp.constants import NONE, SELF

from config import env

BASE_DIR = env.BASE_DIR
PRODUCTION = env.production()
DEBUG = False

SECRET_KEY = env.secret("django_secret_key")
ALLOWED_HOSTS = os.environ.get("PITLEDGER_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1],testserver").split(",")
if PRODUCTION:
    if not os.environ.get("PITLEDGER_ALLOWED_HOSTS"):
        raise env.MissingSetting("PITLEDGER_ALLOWED_HOSTS is not set")
    # Wanted later, by the first terminal and the first shoe; what lacks them must not even start.
    for later in ("terminal_pepper", "shoe_key"):
        env.secret(later)
env.time_authority()  # wanted by the worker; what is set wrongly must not even start
env.export_store()

INSTALLED_APPS = [
    "config.admin_site.PitledgerAdminConfig",
    "tables",  # before Django's own: its changepassword and createsuperuser stand in the place of theirs
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "axes",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "ledger",
    "audit",
]

MIDDLEWARE = [
    "config.api.middleware.ProblemMiddleware",  # outermost: it reshapes whatever goes wrong inside
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "tables" / "templates"],  # before the admin's own, which they extend
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def _database(role: str) -> dict[str, Any]:
    """Connection settings of one role; outside production a missing address fails on first use only,
    so that linters and `--help` need no database."""
    try:
        settings: dict[str, Any] = dict(env.database_settings(env.database_url(role)))
    except env.MissingSetting:
        if PRODUCTION:
            raise
        settings = {"ENGINE": "django.db.backends.postgresql", "NAME": "pitledger"}
        settings["HOST"] = "/DATABASE_URL-is-not-set"
    return settings


# Two roles from the first migration on: `default` is the application, which can only read the journal
# and call the functions that post to it; `owner` runs migrations and nothing else.
# A command that waits longer for a lock than LOCK_TIMEOUT is told to come back (409 with Retry-After).
LOCK_TIMEOUT = "5s"
# Up to how many joined rows PostgreSQL weighs every order of. A table with all that goes on at it joins
# seven by their keys; weighing their orders, with each command, took longer than all else of the statement.
JOINS_WEIGHED = 5
DATABASES = {
    "default": _database("app")
    | {
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"options": f"-c lock_timeout={LOCK_TIMEOUT} -c join_collapse_limit={JOINS_WEIGHED}"},
    },
    "owner": _database("owner"),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "tables.Staff"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 1  # hours
# The name of the login form's field; axes would take the model's ("badge"), find none, count all failures
# as one unknown person's, and never lock anybody out.
AXES_USERNAME_FORM_FIELD = "username"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
# Behind a proxy everybody would come from the proxy, and five wrong passwords lock a badge out of everywhere.
AXES_CLIENT_IP_CALLABLE = "config.api.address.known_address"
AXES_LOCKOUT_TEMPLATE = "admin/floor/locked.html"
# axes counts by signals only inside the admin's login; the API has its own throttle on sign-ins
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Strict"
CSRF_COOKIE_SAMESITE = "Strict"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if PRODUCTION:
    SECURE_SSL_REDIRECT = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
# Whether browsers ship the house's name in their list is for whoever owns it, and hardly taken back.
SILENCED_SYSTEM_CHECKS = ["security.W021"]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
FORMAT_MODULE_PATH = "config.formats"

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True  # the admin's own files are served from the installed packages

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "tables.api.authentication.TerminalAuthentication",
        "tables.api.authentication.StaffSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["tables.api.permissions.OperationAllowed"],
    "DEFAULT_PARSER_CLASSES": ["config.api.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "config.api.schema.CommandSchema",
    "EXCEPTION_HANDLER": "config.api.problems.exception_handler",
    "UNAUTHENTICATED_USER": None,
    "DEFAULT_METADATA_CLASS": None,  # OPTIONS tells nobody anything
    "URL_FORMAT_OVERRIDE": None,  # one representation; `?format=` is an unknown parameter
    # How many proxies of ours a request has come through: decides whose word on its address counts.
    "NUM_PROXIES": int(os.environ.get("PITLEDGER_PROXIES", "0")),
    "DEFAULT_THROTTLE_RATES": {"enrolment": "30/minute", "sign_in": "20/minute"},
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Pitledger API",
    "DESCRIPTION": "Table management and audit backend for Red Dog tables.",
    "VERSION": "1.0.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PUBLIC": True,
    "SERVE_AUTHENTICATION": [],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "PATH_CONVERTER_OVERRIDES": {"day": {"type": "string", "format": "date"}},
    "POSTPROCESSING_HOOKS": ["config.api.schema.share_problems"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024  # bytes; the largest command is a count by denomination

REDIS_URL = env.redis_url()

# Celery. The outbox keeps what is to be done, so the broker may lose everything and results are not
# kept; only the sweep publishes, and a broker that is down must fail it fast instead of holding it up.
CHECKPOINT_AGE_SECONDS = int(os.environ.get("PITLEDGER_CHECKPOINT_AGE_SECONDS", "300"))  # unsealed at most
OUTBOX_SEND_AGAIN_SECONDS = int(os.environ.get("PITLEDGER_SEND_AGAIN_SECONDS", "60"))
EXPORT_KEEP_DAYS = int(os.environ.get("PITLEDGER_EXPORT_KEEP_DAYS", "7"))  # a file can be downloaded so long
CELERY_BROKER_URL = env.celery_broker_url(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits for its broker for as long as it takes
CELERY_BROKER_TRANSPORT_OPTIONS = {"max_retries": 0, "socket_connect_timeout": 0.5, "socket_timeout": 5}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
# Exports have a queue of their own, which workers elsewhere may take (`-Q pitledger.exports`). A worker that
# is told nothing takes both, in turn, and has two processes at least: one export is written at a time, so
# that one process is always left to what watches the floor.
CELERY_TASK_DEFAULT_QUEUE = "pitledger"
CELERY_TASK_QUEUES = {
    name: {"exchange": name, "routing_key": name} for name in ("pitledger", "pitledger.exports")
}
CELERY_TASK_ROUTES = {"audit.perform_export": {"queue": "pitledger.exports"}}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = max(int(os.environ.get("PITLEDGER_WORKERS", "2")), 2)
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # static: the schedule is this code, nothing is kept
CELERY_BEAT_SCHEDULE = {
    # seconds; a sweep that could not run in time is dropped, the next one does its work
    "sweep": {"task": "audit.sweep_outbox", "schedule": 2.0, "options": {"expires": 10}},
    "turns": {"task": "audit.sweep_exports", "schedule": 2.0, "options": {"expires": 10}},
    "days": {"task": "audit.queue_due_days", "schedule": 180.0, "options": {"expires": 180}},
    "play": {"task": "audit.follow_play", "schedule": 300.0, "options": {"expires": 300}},
    "conservation": {"task": "audit.check_conservation", "schedule": 60.0, "options": {"expires": 60}},
    "seal": {"task": "audit.seal_journal", "schedule": 60.0, "options": {"expires": 60}},
    "watch": {"task": "audit.watch_checkpoints", "schedule": 60.0, "options": {"expires": 60}},
    "schedules": {"task": "audit.queue_due_exports", "schedule": 180.0, "options": {"expires": 180}},
    "exports": {"task": "audit.clean_up_exports", "schedule": 600.0, "options": {"expires": 600}},
    "journal": {"task": "audit.verify_journal", "schedule": 3600.0, "options": {"expires": 3600}},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": os.environ.get("PITLEDGER_LOG_LEVEL", "WARNING")},
}
