"""The routes of round histories, their exports, kept filters and schedules, below /api/v1/."""

from django.urls import URLPattern, path

from audit import api_exports, api_history

EXPORT = "exports/<uuid:export_id>"

urlpatterns: list[URLPattern] = [
    path("round-histories", api_history.RoundHistories.as_view(), name="round-histories"),
    path("exports", api_exports.ExportList.as_view(), name="exports"),
    path(EXPORT, api_exports.ExportDetail.as_view(), name="export"),
    path(f"{EXPORT}/cancellation", api_exports.ExportCancellation.as_view(), name="export-cancellation"),
    path(f"{EXPORT}/file", api_exports.ExportContent.as_view(), name="export-file"),
    path(f"{EXPORT}/manifest", api_exports.ExportManifest.as_view(), name="export-manifest"),
    path(f"{EXPORT}/note", api_exports.ExportNote.as_view(), name="export-note"),
    path("saved-filters", api_history.SavedFilterList.as_view(), name="saved-filters"),
    path("saved-filters/<slug:name>", api_history.SavedFilterDetail.as_view(), name="saved-filter"),
    path("export-schedules", api_history.ScheduleList.as_view(), name="export-schedules"),
    path("export-schedules/<uuid:schedule_id>", api_history.ScheduleDetail.as_view(), name="export-schedule"),
]
