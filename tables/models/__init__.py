"""Every model of the floor, by topic; import them from here."""

from tables.models.cage import (
    IN_TRANSIT,
    UNFINISHED,
    Redemption,
    Slip,
    SlipDifference,
    SlipKind,
    SlipSeries,
    SlipStatus,
    TablePar,
)
from tables.models.cash import CashTotal, CashTransaction
from tables.models.casino import Cage, Casino, Pit, Player, RuleSet
from tables.models.command import Approval, CommandAnswer, Countersignature, OutboxItem, Refusal
from tables.models.day import ClosedDay
from tables.models.drop import BoxStatus, DropBox
from tables.models.marker import Marker
from tables.models.promo import PromoPiece, PromoStatus, PromoStock
from tables.models.round import Round, RoundStatus
from tables.models.staff import Role, Staff
from tables.models.stint import Stint
from tables.models.table import CardSource, Seat, SessionStatus, Shoe, Table, TableSession
from tables.models.terminal import SignIn, Terminal, TerminalKind

__all__ = [
    "IN_TRANSIT",
    "UNFINISHED",
    "Approval",
    "BoxStatus",
    "Cage",
    "CardSource",
    "CashTotal",
    "CashTransaction",
    "Casino",
    "ClosedDay",
    "CommandAnswer",
    "Countersignature",
    "DropBox",
    "Marker",
    "OutboxItem",
    "Pit",
    "Player",
    "PromoPiece",
    "PromoStatus",
    "PromoStock",
    "Redemption",
    "Refusal",
    "Role",
    "Round",
    "RoundStatus",
    "RuleSet",
    "Seat",
    "SessionStatus",
    "Shoe",
    "SignIn",
    "Slip",
    "SlipDifference",
    "SlipKind",
    "SlipSeries",
    "SlipStatus",
    "Staff",
    "Stint",
    "Table",
    "TablePar",
    "TableSession",
    "Terminal",
    "TerminalKind",
]
