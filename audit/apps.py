"""Django's registration of the app."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """The audit app."""

    name = "audit"
    default_auto_field = "django.db.models.BigAutoField"
