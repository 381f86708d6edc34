"""Django's registration of the app."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """The ledger app."""

    name = "ledger"
    default_auto_field = "django.db.models.BigAutoField"
