"""Django's registration of the app."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    """The ledger app."""

    name = "ledger"
    verbose_name = "Journal"
    default_auto_field = "django.db.models.BigAutoField"
