"""The admin site: Django's own, opening on the floor, in the casino's own time.

Templates and pages are the apps'; this module wires them, and imports them late because Django reads it
before any model exists.
"""

from collections.abc import Callable, Iterator
from datetime import date
from functools import update_wrapper
from typing import Any, TypeVar, cast

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest
from django.template.response import SimpleTemplateResponse, TemplateResponse
from django.urls import URLPattern, URLResolver, reverse
from django.utils import timezone

V = TypeVar("V", bound=Callable[..., Any])

# The menu: what is looked at most comes first; what is not named follows by its name.
APPS = ("tables", "audit", "ledger")
MODELS = (
    *(
        "Table",
        "TableSession",
        "ClosedDay",
        "Round",
        "Stint",
        "DropBox",
        "Slip",
        "TablePar",
        "Redemption",
        "Marker",
        "PromoStock",
        "PromoPiece",
        "CashTotal",
        "CashTransaction",
        "Shoe",
        "Player",
        "Countersignature",
        "Approval",
        "Refusal",
    ),
    *("Staff", "Terminal", "SignIn", "RuleSet", "Pit", "Cage", "Casino"),
    *("Finding", "SessionReconciliation", "GamingDayCheck", "ExportJob", "ExportSchedule", "SavedFilter"),
    *("Entry", "Account", "Stream", "Checkpoint"),
)
MAIN = ("tables.Table", "tables.TableSession", "tables.Round", "tables.Slip", "ledger.Entry", "audit.Finding")
# What is no list: the operation that opens it, its page, and what people call it; first those of the day.
OF_THE_DAY = (
    ("audit.read", "audit_master_game", "Master game report"),
    ("audit.read", "audit_stiff_print", "Stiff sheets"),
)
SHORTCUTS = (
    ("audit.read", "audit_results", "Results"),
    ("audit.read", "audit_float", "Float"),
    ("audit.read", "audit_round_history", "Round histories"),
    ("day.close", "tables_closedday_close", "Close a gaming day"),
    ("approval.give", "tables_approval_give", "Approve an act as its second"),
)
# Their own pages leave no entry in the journal; ours do (`tables.admin.own`).
LEFT_OUT = frozenset({"password_change", "password_change_done"})


class PitledgerAdminSite(admin.AdminSite):
    """Django's admin under our titles, with the floor as its first page."""

    site_header = "Pitledger"
    site_title = "Pitledger"
    index_title = "The floor"
    index_template = "admin/floor/index.html"
    site_url = None
    enable_nav_sidebar = False  # the width is for figures; the main pages stand in the head

    def admin_view(self, view: V, cacheable: bool = False) -> V:
        """A page for those the site admits, written in their casino's time zone."""
        return super().admin_view(_in_house_time(view), cacheable)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """What every page knows: also whose house it is."""
        context = super().each_context(request)
        pages = {
            f"{app['app_label']}.{m['object_name']}": m
            for app in context["available_apps"]
            for m in app["models"]
        }
        context["main_pages"] = [pages[label] for label in MAIN if label in pages]
        context["house"] = getattr(request.user, "casino", None)
        return context

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The floor: every table and what goes on there."""
        from tables.admin.overview import floor_context

        casino = getattr(request.user, "casino", None)
        context = floor_context(casino) if casino else {}
        if casino:
            context["findings"] = _unresolved_findings(casino)
            context["shortcuts"] = list(_shortcuts(request.user, context["gaming_day"]))
        return super().index(request, context | (extra_context or {}))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """The menu, in the order of the work rather than of the alphabet."""
        built = self._build_app_dict(request, app_label)
        for app in built.values():
            app["models"].sort(key=_place)
        return [built[label] for label in APPS if label in built]

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """The stock addresses but those left out."""
        return [url for url in super().get_urls() if getattr(url, "name", None) not in LEFT_OUT]


def _place(model: dict[str, Any]) -> tuple[int, str]:
    """Where a model stands in its app's menu."""
    name = model["object_name"]
    return (MODELS.index(name) if name in MODELS else len(MODELS), str(model["name"]))


def _in_house_time(view: V) -> V:
    """The view, run and rendered in the time zone of the viewer's casino."""

    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        casino = getattr(request.user, "casino", None)
        with timezone.override(casino.time_zone if casino else None):
            response = view(request, *args, **kwargs)
            if isinstance(response, SimpleTemplateResponse):
                response.render()
            return response

    return cast(V, update_wrapper(inner, view))


def _shortcuts(person: Any, day: date) -> Iterator[tuple[str, str]]:
    """(address, label) of the pages that are no lists, to whom they are open."""
    from tables.services.permissions import allowed

    of_the_day = ((*each, [day]) for each in OF_THE_DAY)
    for operation, name, label, args in (*of_the_day, *((*each, []) for each in SHORTCUTS)):
        if allowed(operation, person.role, None):
            yield reverse(f"admin:{name}", args=args), label


def _unresolved_findings(casino: Any) -> dict[str, Any]:
    """How many findings of a casino nobody has resolved yet, and where they are listed."""
    from audit.models import Finding, FindingStatus

    unresolved = Finding.objects.filter(casino=casino).exclude(status=FindingStatus.RESOLVED)
    return {"count": unresolved.count(), "address": reverse("admin:audit_finding_changelist")}


class PitledgerAdminConfig(AdminConfig):
    """Installs the site above as the default one, so that `admin.site` is ours everywhere."""

    default_site = "config.admin_site.PitledgerAdminSite"

    def ready(self) -> None:
        """Collect the apps' pages; rights come from roles, so groups have none."""
        super().ready()
        admin.site.unregister(apps.get_model("auth", "Group"))
