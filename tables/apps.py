"""Django's registration of the app."""

from django.apps import AppConfig


class TablesConfig(AppConfig):
    """The tables app."""

    name = "tables"
    verbose_name = "Floor"
    default_auto_field = "django.db.models.BigAutoField"
