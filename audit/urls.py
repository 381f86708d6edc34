"""The audit's routes, below /api/v1/."""

from django.urls import URLPattern, path

from audit.api import FindingList

urlpatterns: list[URLPattern] = [path("findings", FindingList.as_view(), name="findings")]
