"""Where each part of the system answers."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from audit import urls as audit
from tables.api import urls as floor
from tables.api.health import healthz

api: list[URLPattern | URLResolver] = [
    *floor.urlpatterns,
    *audit.urlpatterns,
    path("schema", SpectacularAPIView.as_view(), name="schema"),
    path("docs", SpectacularSwaggerSplitView.as_view(), name="docs"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("healthz", healthz, name="healthz"),
    path("api/v1/", include(api)),
]
