"""Every route of the floor's API, below /api/v1/."""

from django.urls import URLPattern, path

from tables.api.views import access, cage, corrections, records, rounds, seals, sessions, statements, tables

TABLE = "tables/<uuid:table_id>"
ROUND = "rounds/<uuid:round_id>"
SESSION = "sessions/<uuid:session_id>"

urlpatterns: list[URLPattern] = [
    path("terminals/enrolments", access.Enrolments.as_view(), name="enrolments"),
    path("sign-ins", access.SignIns.as_view(), name="sign-ins"),
    path("sign-ins/current", access.CurrentSignIn.as_view(), name="sign-in"),
    path(TABLE, tables.TableDetail.as_view(), name="table"),
    path(f"{TABLE}/sessions", tables.TableSessions.as_view(), name="table-sessions"),
    path(f"{TABLE}/fills/<uuid:fill_id>/receipt", tables.FillReceipt.as_view(), name="fill-receipt"),
    path(f"{TABLE}/seats/<int:seat>/occupation", tables.SeatOccupation.as_view(), name="seat-occupation"),
    path(f"{TABLE}/seats/<int:seat>/buy-ins", tables.SeatBuyIns.as_view(), name="seat-buy-ins"),
    path(f"{TABLE}/shoes", tables.TableShoes.as_view(), name="table-shoes"),
    path(f"{TABLE}/shoes/current/burns", tables.ShoeBurns.as_view(), name="shoe-burns"),
    path(f"{TABLE}/shoes/current/retirement", tables.ShoeRetirement.as_view(), name="shoe-retirement"),
    path(
        f"{TABLE}/entries/<uuid:entry_id>/reversal",
        corrections.EntryReversal.as_view(),
        name="entry-reversal",
    ),
    path(f"{TABLE}/corrections", corrections.TableCorrections.as_view(), name="table-corrections"),
    path(f"{TABLE}/rounds", rounds.TableRounds.as_view(), name="table-rounds"),
    path("rounds", records.RoundList.as_view(), name="rounds"),
    path(ROUND, records.RoundDetail.as_view(), name="round"),
    path(f"{ROUND}/bets", rounds.RoundBets.as_view(), name="round-bets"),
    path(f"{ROUND}/cards", rounds.RoundCards.as_view(), name="round-cards"),
    path(f"{ROUND}/announcement", rounds.RoundAnnouncement.as_view(), name="round-announcement"),
    path(f"{ROUND}/raises", rounds.RoundRaises.as_view(), name="round-raises"),
    path(f"{ROUND}/exposure", rounds.RoundExposure.as_view(), name="round-exposure"),
    path(f"{ROUND}/settlement", rounds.RoundSettlement.as_view(), name="round-settlement"),
    path(f"{ROUND}/void", rounds.RoundVoid.as_view(), name="round-void"),
    path(f"{ROUND}/correction", corrections.RoundCorrection.as_view(), name="round-correction"),
    path("sessions", records.SessionList.as_view(), name="sessions"),
    path(f"{SESSION}/closure", sessions.SessionClosure.as_view(), name="session-closure"),
    path(f"{SESSION}/drop-count", sessions.SessionDropCount.as_view(), name="session-drop-count"),
    path("cage", cage.CageDetail.as_view(), name="cage"),
    path("cage/chips", cage.CageChips.as_view(), name="cage-chips"),
    path("cage/cash", cage.CageCash.as_view(), name="cage-cash"),
    path("cage/fills", cage.CageFills.as_view(), name="cage-fills"),
    path("cage/redemptions", cage.CageRedemptions.as_view(), name="cage-redemptions"),
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
