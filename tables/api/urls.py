"""Every route of the floor's API, below /api/v1/."""

from datetime import date

from django.urls import URLPattern, path, register_converter

from tables.api.views import (
    access,
    cage,
    card_room,
    cash,
    corrections,
    days,
    drops,
    markers,
    promos,
    records,
    rejects,
    rounds,
    seals,
    sessions,
    slips,
    statements,
    table_life,
    tables,
    tokes,
)


class DayConverter:
    """A day of the calendar in a path, as 2026-11-30."""

    regex = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        """The day; ValueError, so that the path is not found, for what is none."""
        return date.fromisoformat(value)

    def to_url(self, value: date) -> str:
        """The day in a path."""
        return value.isoformat()


register_converter(DayConverter, "day")

TABLE = "tables/<uuid:table_id>"
ROUND = "rounds/<uuid:round_id>"
SESSION = "sessions/<uuid:session_id>"
BOX = "boxes/<uuid:box_id>"

urlpatterns: list[URLPattern] = [
    path("terminals/enrolments", access.Enrolments.as_view(), name="enrolments"),
    path("sign-ins", access.SignIns.as_view(), name="sign-ins"),
    path("approvals", access.Approvals.as_view(), name="approvals"),
    path("sign-ins/current/pin", access.OwnPin.as_view(), name="own-pin"),
    path("sign-ins/current", access.CurrentSignIn.as_view(), name="sign-in"),
    path(TABLE, tables.TableDetail.as_view(), name="table"),
    path(f"{TABLE}/sessions", tables.TableSessions.as_view(), name="table-sessions"),
    path(f"{TABLE}/fills", slips.TableFills.as_view(), name="table-fills"),
    path(f"{TABLE}/fills/<uuid:slip_id>/receipt", slips.FillReceipt.as_view(), name="fill-receipt"),
    path(f"{TABLE}/credits", slips.TableCredits.as_view(), name="table-credits"),
    path(f"{TABLE}/credits/<uuid:slip_id>/dispatch", slips.CreditDispatch.as_view(), name="credit-dispatch"),
    path(f"{TABLE}/slips/<uuid:slip_id>/void", slips.TableSlipVoid.as_view(), name="slip-void"),
    path(f"{TABLE}/slips/<uuid:slip_id>/return", slips.TableSlipReturn.as_view(), name="slip-return"),
    path(f"{TABLE}/inventory", slips.TableInventory.as_view(), name="table-inventory"),
    path(f"{TABLE}/seats/<int:seat>/occupation", tables.SeatOccupation.as_view(), name="seat-occupation"),
    path(f"{TABLE}/seats/<int:seat>/buy-ins", tables.SeatBuyIns.as_view(), name="seat-buy-ins"),
    path(f"{TABLE}/seats/<int:seat>/changes", table_life.SeatChanges.as_view(), name="seat-changes"),
    path(f"{TABLE}/seats/<int:seat>/cash-outs", table_life.SeatCashOuts.as_view(), name="seat-cash-outs"),
    path(f"{TABLE}/seats/<int:seat>/tokes", tokes.SeatTokes.as_view(), name="seat-tokes"),
    path(f"{TABLE}/seats/<int:seat>/markers", markers.SeatMarkers.as_view(), name="seat-markers"),
    path(
        f"{TABLE}/seats/<int:seat>/markers/<uuid:marker_id>/redemption",
        markers.MarkerRedemption.as_view(),
        name="marker-redemption",
    ),
    path(f"{TABLE}/tokes", tokes.TableTokes.as_view(), name="table-tokes"),
    path(f"{TABLE}/promotions", promos.TablePromotions.as_view(), name="table-promotions"),
    path(f"{TABLE}/rejected-chips", rejects.TableRejects.as_view(), name="table-rejects"),
    path(f"{TABLE}/stints", table_life.TableStints.as_view(), name="table-stints"),
    path(f"{TABLE}/stints/current", table_life.CurrentStint.as_view(), name="current-stint"),
    path(f"{TABLE}/stints/current/relief", table_life.StintRelief.as_view(), name="stint-relief"),
    path(f"{TABLE}/rules", table_life.TableRules.as_view(), name="table-rules"),
    path(f"{TABLE}/shoes", tables.TableShoes.as_view(), name="table-shoes"),
    path(f"{TABLE}/shoes/current/burns", tables.ShoeBurns.as_view(), name="shoe-burns"),
    path(f"{TABLE}/shoes/current/retirement", tables.ShoeRetirement.as_view(), name="shoe-retirement"),
    path(
        f"{TABLE}/entries/<uuid:entry_id>/reversal",
        corrections.EntryReversal.as_view(),
        name="entry-reversal",
    ),
    path(f"{TABLE}/corrections", corrections.TableCorrections.as_view(), name="table-corrections"),
    path(f"{TABLE}/freeze", tables.TableFreeze.as_view(), name="table-freeze"),
    path(f"{TABLE}/release", tables.TableRelease.as_view(), name="table-release"),
    path(f"{TABLE}/rounds", rounds.TableRounds.as_view(), name="table-rounds"),
    path(f"{TABLE}/dealer-draw", card_room.DealerDraw.as_view(), name="dealer-draw"),
    path(f"{TABLE}/deals", card_room.TableDeals.as_view(), name="table-deals"),
    path(f"{TABLE}/pool-division", card_room.PoolDivision.as_view(), name="pool-division"),
    path(f"{TABLE}/collections", card_room.TableCollections.as_view(), name="table-collections"),
    path("rounds", records.RoundList.as_view(), name="rounds"),
    path(ROUND, records.RoundDetail.as_view(), name="round"),
    path(f"{ROUND}/bets", rounds.RoundBets.as_view(), name="round-bets"),
    path(f"{ROUND}/cards", rounds.RoundCards.as_view(), name="round-cards"),
    path(f"{ROUND}/announcement", rounds.RoundAnnouncement.as_view(), name="round-announcement"),
    path(f"{ROUND}/raises", rounds.RoundRaises.as_view(), name="round-raises"),
    path(f"{ROUND}/exposure", rounds.RoundExposure.as_view(), name="round-exposure"),
    path(f"{ROUND}/passes", card_room.RoundPasses.as_view(), name="round-passes"),
    path(f"{ROUND}/turned-cards", card_room.RoundTurnedCards.as_view(), name="round-turned-cards"),
    path(f"{ROUND}/shows", card_room.RoundShows.as_view(), name="round-shows"),
    path(f"{ROUND}/exposed-cards", card_room.RoundExposedCards.as_view(), name="round-exposed-cards"),
    path(f"{ROUND}/mispayments", card_room.RoundMispayments.as_view(), name="round-mispayments"),
    path(
        f"{ROUND}/mispayments/correction",
        card_room.MispaymentCorrection.as_view(),
        name="mispayment-correction",
    ),
    path(f"{ROUND}/settlement", rounds.RoundSettlement.as_view(), name="round-settlement"),
    path(f"{ROUND}/void", rounds.RoundVoid.as_view(), name="round-void"),
    path(f"{ROUND}/cancellation", table_life.RoundCancellation.as_view(), name="round-cancellation"),
    path(f"{ROUND}/correction", corrections.RoundCorrection.as_view(), name="round-correction"),
    path("sessions", records.SessionList.as_view(), name="sessions"),
    path(f"{SESSION}/closure", sessions.SessionClosure.as_view(), name="session-closure"),
    path(f"{SESSION}/reopening", table_life.SessionReopening.as_view(), name="session-reopening"),
    path("stints", table_life.StintList.as_view(), name="stints"),
    path(f"{SESSION}/box-removal", drops.SessionBoxRemoval.as_view(), name="session-box-removal"),
    path(f"{BOX}/first-count", drops.BoxFirstCount.as_view(), name="box-first-count"),
    path(f"{BOX}/second-count", drops.BoxSecondCount.as_view(), name="box-second-count"),
    path(f"{BOX}/recount", drops.BoxRecount.as_view(), name="box-recount"),
    path(f"{BOX}/rejected-chips", rejects.BoxRejects.as_view(), name="box-rejects"),
    path("cage", cage.CageDetail.as_view(), name="cage"),
    path("cage/boxes", drops.CageBoxes.as_view(), name="cage-boxes"),
    path("cage/chips", cage.CageChips.as_view(), name="cage-chips"),
    path("cage/cash", cage.CageCash.as_view(), name="cage-cash"),
    path("slips/numbers", slips.SlipNumbers.as_view(), name="slip-numbers"),
    path("cage/slips", cage.CageSlips.as_view(), name="cage-slips"),
    path("cage/fills/<uuid:slip_id>/issue", cage.CageFillIssue.as_view(), name="cage-fill-issue"),
    path("cage/credits/<uuid:slip_id>/issue", cage.CageCreditIssue.as_view(), name="cage-credit-issue"),
    path("cage/credits/<uuid:slip_id>/receipt", cage.CageCreditReceipt.as_view(), name="cage-credit-receipt"),
    path("cage/slips/<uuid:slip_id>/refusal", cage.CageSlipRefusal.as_view(), name="cage-slip-refusal"),
    path("cage/slips/<uuid:slip_id>/void", cage.CageSlipVoid.as_view(), name="cage-slip-void"),
    path("cage/slips/<uuid:slip_id>/return", cage.CageSlipReturn.as_view(), name="cage-slip-return"),
    path("cage/slips/<uuid:slip_id>/prints", cage.CageSlipPrints.as_view(), name="cage-slip-prints"),
    path("cage/redemptions", cage.CageRedemptions.as_view(), name="cage-redemptions"),
    path("cage/sales", cage.CageSales.as_view(), name="cage-sales"),
    path("cage/markers/<uuid:marker_id>/payment", markers.CageMarkerPayment.as_view(), name="marker-payment"),
    path("cage/credit-limits", markers.CageCreditLimits.as_view(), name="credit-limits"),
    path("cage/promotions", promos.CagePromotions.as_view(), name="cage-promotions"),
    path("cage/promotions/stock", promos.CagePromotionStock.as_view(), name="cage-promotion-stock"),
    path(f"{TABLE}/seats/<int:seat>/other-tender", cash.OtherTender.as_view(), name="other-tender"),
    path("people", cash.People.as_view(), name="people"),
    path("people/<uuid:player_id>/identity", cash.PersonTie.as_view(), name="person-identity"),
    path("people/<uuid:player_id>/chips", records.ChipsWalked.as_view(), name="chips-walked"),
    path("cash/watch", cash.CashWatch.as_view(), name="cash-watch"),
    path("cash/log", cash.TransactionLog.as_view(), name="cash-log"),
    path("cash/reports", cash.ReportList.as_view(), name="cash-reports"),
    path("cash/reports/<uuid:report_id>/filing", cash.ReportFiling.as_view(), name="cash-filing"),
    path(
        "cash/transactions/<uuid:transaction_id>/person",
        cash.TransactionPerson.as_view(),
        name="transaction-person",
    ),
    path("gaming-days", days.GamingDayList.as_view(), name="gaming-days"),
    path("gaming-days/<day:gaming_day>", days.GamingDayDetail.as_view(), name="gaming-day"),
    path("gaming-days/<day:gaming_day>/closure", days.GamingDayClosure.as_view(), name="gaming-day-closure"),
    path("accounts", statements.Accounts.as_view(), name="accounts"),
    path(
        "accounts/<str:stream>/<str:account>/statement",
        statements.AccountStatement.as_view(),
        name="statement",
    ),
    path("entries", records.EntryList.as_view(), name="entries"),
    path("entries/<uuid:entry_id>", records.EntryDetail.as_view(), name="entry"),
    path("entries/<uuid:entry_id>/proof", seals.EntryProof.as_view(), name="entry-proof"),
    path("checkpoints", seals.CheckpointList.as_view(), name="checkpoints"),
    path("checkpoints/<int:size>", seals.CheckpointDetail.as_view(), name="checkpoint"),
    path("checkpoints/<int:size>/consistency", seals.CheckpointConsistency.as_view(), name="consistency"),
]
