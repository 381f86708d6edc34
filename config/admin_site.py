"""The admin site: Django's own, under the casino's name."""

from django.contrib import admin
from django.contrib.admin.apps import AdminConfig


class PitledgerAdminSite(admin.AdminSite):
    """Django's admin with our titles; everything else is the stock site."""

    site_header = "Pitledger"
    site_title = "Pitledger"
    index_title = "The floor"


class PitledgerAdminConfig(AdminConfig):
    """Installs the site above as the default one, so that `admin.site` is ours everywhere."""

    default_site = "config.admin_site.PitledgerAdminSite"
