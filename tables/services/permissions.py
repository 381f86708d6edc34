"""Who may do what: one table of operations, read by the API, the admin site and the services.

An operation is allowed when the person's role is listed, and, at a terminal, when the terminal's kind
is listed too. Which acts need a second person, and who that may be, is the jurisdiction profile's to say
(`tables/jurisdiction`); it is never the person who acts.
"""

from dataclasses import dataclass

from config.errors import DomainError
from tables.models import Role, TerminalKind
from tables.models.staff import ADMIN_ROLES

DEALING = frozenset({Role.DEALER, Role.SUPERVISOR, Role.PIT_BOSS})
RUNNING = frozenset({Role.SUPERVISOR, Role.PIT_BOSS})
CASHIER = frozenset({Role.CAGE})
PIT_BOSS = frozenset({Role.PIT_BOSS})
OFFICE = frozenset({Role.ADMINISTRATOR})
AT_TABLE = frozenset({TerminalKind.TABLE})
AT_CAGE = frozenset({TerminalKind.CAGE})
WATCHING = frozenset({Role.AUDITOR, Role.SURVEILLANCE})
NOWHERE: frozenset[TerminalKind] = frozenset()


@dataclass(frozen=True, slots=True)
class Permission:
    """The roles and the kinds of terminal an operation is open to; without a terminal kind, the admin site.

    `desk` are the roles that may do in the admin site what others do at a terminal.
    """

    roles: frozenset[Role]
    terminals: frozenset[TerminalKind]
    desk: frozenset[Role] = frozenset()


PERMISSIONS: dict[str, Permission] = {
    "table.view": Permission(DEALING, AT_TABLE),
    "session.open": Permission(DEALING, AT_TABLE),
    "session.close": Permission(DEALING, AT_TABLE),
    "session.reopen": Permission(PIT_BOSS, AT_TABLE, desk=PIT_BOSS),
    "dealer.sign_on": Permission(DEALING, AT_TABLE),
    "dealer.sign_off": Permission(DEALING, AT_TABLE),
    "dealer.relieve": Permission(DEALING, AT_TABLE),
    "fill.request": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "fill.receive": Permission(DEALING, AT_TABLE),
    "credit.request": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "credit.send": Permission(DEALING, AT_TABLE),
    "slip.void": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "slip.take_back": Permission(DEALING, AT_TABLE),
    "seat.take": Permission(DEALING, AT_TABLE),
    "seat.buy_in": Permission(DEALING, AT_TABLE),
    "seat.leave": Permission(DEALING, AT_TABLE),
    "seat.change": Permission(DEALING, AT_TABLE),
    "seat.cash_out": Permission(DEALING, AT_TABLE),
    "toke.give": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "toke.collect": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "marker.issue": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "marker.redeem": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "table.rules": Permission(RUNNING, AT_TABLE, desk=RUNNING),
    "shoe.load": Permission(DEALING, AT_TABLE),
    "shoe.burn": Permission(DEALING, AT_TABLE),
    "shoe.retire": Permission(DEALING, AT_TABLE),
    "round.start": Permission(DEALING, AT_TABLE),
    "round.bet": Permission(DEALING, AT_TABLE),
    "round.deal": Permission(DEALING, AT_TABLE),
    "round.announce": Permission(DEALING, AT_TABLE),
    "round.raise": Permission(DEALING, AT_TABLE),
    "round.expose": Permission(DEALING, AT_TABLE),
    "round.settle": Permission(DEALING, AT_TABLE),
    "round.void": Permission(DEALING, AT_TABLE),
    "deal.draw": Permission(DEALING, AT_TABLE),
    "deal.start": Permission(DEALING, AT_TABLE),
    "round.pass": Permission(DEALING, AT_TABLE),
    "round.turn": Permission(DEALING, AT_TABLE),
    "round.show": Permission(DEALING, AT_TABLE),
    "round.expose_top": Permission(DEALING, AT_TABLE),
    "round.mispay": Permission(DEALING, AT_TABLE),
    "round.put_right": Permission(DEALING, AT_TABLE),
    "pool.divide": Permission(DEALING, AT_TABLE),
    "collection.take": Permission(DEALING, AT_TABLE),
    "hand.look": Permission(WATCHING, NOWHERE),
    "table.freeze": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "table.release": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "entry.reverse": Permission(RUNNING, AT_TABLE, desk=RUNNING),
    "correction.post": Permission(RUNNING, AT_TABLE, desk=RUNNING),
    "round.correct": Permission(RUNNING, AT_TABLE, desk=RUNNING),
    "round.cancel": Permission(RUNNING, AT_TABLE, desk=RUNNING),
    "cage.view": Permission(CASHIER, AT_CAGE),
    "cage.commission": Permission(CASHIER, AT_CAGE),
    "cage.fund": Permission(CASHIER, AT_CAGE),
    "fill.issue": Permission(CASHIER, AT_CAGE),
    "credit.issue": Permission(CASHIER, AT_CAGE),
    "credit.receive": Permission(CASHIER, AT_CAGE),
    "slip.refuse": Permission(CASHIER, AT_CAGE),
    "cage.void_slip": Permission(CASHIER, AT_CAGE),
    "cage.take_back": Permission(CASHIER, AT_CAGE),
    "slip.enter": Permission(CASHIER, AT_CAGE),
    "slip.print": Permission(CASHIER, AT_CAGE, desk=RUNNING | {Role.AUDITOR}),
    "cage.redeem": Permission(CASHIER, AT_CAGE),
    "cage.sell": Permission(CASHIER, AT_CAGE),
    "promo.stock": Permission(CASHIER, AT_CAGE, desk=PIT_BOSS),
    "promo.issue": Permission(CASHIER, AT_CAGE, desk=PIT_BOSS),
    "chips.reject": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "box.reject": Permission(CASHIER, AT_CAGE, desk=PIT_BOSS),
    "promo.collect": Permission(DEALING, AT_TABLE, desk=RUNNING),
    "cash.watch": Permission(RUNNING | CASHIER, AT_TABLE | AT_CAGE),
    "cash.identify": Permission(RUNNING | CASHIER, AT_TABLE | AT_CAGE, desk=RUNNING),
    "cash.file": Permission(CASHIER, AT_CAGE, desk=frozenset({Role.PIT_BOSS, Role.AUDITOR})),
    "person.describe": Permission(DEALING | CASHIER, AT_TABLE | AT_CAGE),
    "person.tie": Permission(RUNNING | CASHIER, AT_TABLE | AT_CAGE, desk=RUNNING),
    "person.erase": Permission(OFFICE, NOWHERE),
    "seat.other_tender": Permission(DEALING, AT_TABLE),
    "cage.credit_limit": Permission(CASHIER, AT_CAGE, desk=PIT_BOSS),
    "cage.redeem_marker": Permission(CASHIER, AT_CAGE, desk=PIT_BOSS),
    "box.remove": Permission(CASHIER, AT_CAGE),
    "drop.count_first": Permission(CASHIER, AT_CAGE),
    "drop.count_second": Permission(CASHIER, AT_CAGE),
    "drop.recount": Permission(CASHIER, AT_CAGE),
    "day.close": Permission(CASHIER, AT_CAGE, desk=PIT_BOSS),
    "terminal.sign_out": Permission(DEALING | CASHIER, AT_TABLE | AT_CAGE),
    "approval.give": Permission(RUNNING | CASHIER, AT_TABLE | AT_CAGE, desk=RUNNING | WATCHING),
    "audit.read": Permission(frozenset({Role.AUDITOR, Role.SURVEILLANCE, Role.PIT_BOSS}), NOWHERE),
    "finding.acknowledge": Permission(WATCHING | {Role.PIT_BOSS}, NOWHERE),
    "finding.resolve": Permission(WATCHING, NOWHERE),
    "finding.explain": Permission(WATCHING | RUNNING, NOWHERE),
    "export.ask": Permission(WATCHING, NOWHERE),
    "export.take": Permission(WATCHING, NOWHERE),
    "export.cancel": Permission(WATCHING, NOWHERE),
    "export.schedule": Permission(frozenset({Role.AUDITOR}), NOWHERE),
    "filter.keep": Permission(WATCHING | {Role.PIT_BOSS}, NOWHERE),
    "staff.password": Permission(ADMIN_ROLES, NOWHERE),
    "staff.reset": Permission(OFFICE, NOWHERE),
    "staff.leave": Permission(OFFICE, NOWHERE),
    "staff.pin": Permission(DEALING | CASHIER, AT_TABLE | AT_CAGE, desk=ADMIN_ROLES),
    "office.casino": Permission(OFFICE, NOWHERE),
    "office.profile": Permission(OFFICE, NOWHERE),
    "office.staff": Permission(OFFICE, NOWHERE),
    "office.rule_set": Permission(OFFICE, NOWHERE),
    "office.table": Permission(OFFICE, NOWHERE),
    "office.par": Permission(OFFICE, NOWHERE),
    "office.player": Permission(OFFICE | RUNNING, NOWHERE),
    "office.terminal": Permission(OFFICE, NOWHERE),
}

# What a frozen table still takes: its end, the round's, and what becomes of its drop boxes.
WHILE_FROZEN = frozenset(
    {
        *("table.release", "round.void"),
        *("box.remove", "drop.count_first", "drop.count_second", "drop.recount"),
    }
)


def allowed(operation: str, role: str, terminal_kind: str | None) -> bool:
    """Whether a role may do an operation where it is (`terminal_kind` None: not at a terminal)."""
    permission = PERMISSIONS[operation]
    if terminal_kind is None and permission.terminals:
        return role in permission.desk
    return role in permission.roles and (terminal_kind is None or terminal_kind in permission.terminals)


def require(operation: str, role: str, terminal_kind: str | None) -> None:
    """Refuse what is not allowed.

    Raises:
        DomainError: `operation_not_allowed` (403).
    """
    if not allowed(operation, role, terminal_kind):
        raise DomainError(
            "operation_not_allowed", f"{operation} is not open to the role {role} here.", status=403
        )
