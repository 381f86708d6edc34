"""The audit's routes, below /api/v1/."""

from django.urls import URLPattern, path

import tables.api.urls  # noqa: F401 (how a day stands in a path)
from audit import urls_exports
from audit.api import FindingList, FloatDetail, MasterGameDetail, ResultsDetail
from audit.api_prints import RoundPrint, SessionPrint, StiffSheets

urlpatterns: list[URLPattern] = [
    path("findings", FindingList.as_view(), name="findings"),
    path("master-game/<day:gaming_day>", MasterGameDetail.as_view(), name="master-game"),
    path("float", FloatDetail.as_view(), name="float"),
    path("results", ResultsDetail.as_view(), name="results"),
    path("rounds/<uuid:round_id>/print", RoundPrint.as_view(), name="round-print"),
    path("sessions/<uuid:session_id>/print", SessionPrint.as_view(), name="session-print"),
    path("stiff-sheets/<day:gaming_day>", StiffSheets.as_view(), name="stiff-sheets"),
    *urls_exports.urlpatterns,
]
