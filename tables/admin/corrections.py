"""Corrections in the admin site: their pages, and how they show on what they correct.

They are the acts of `tables.services.corrections`, by the people who may do them at a table's terminal. The
second person signs on the page: badge and PIN, or an approval given elsewhere. A page is bound to the
table's action counter as it was when it was opened, so nobody corrects what has changed since.
"""

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.http import Http404
from django.urls import reverse
from django.utils.safestring import SafeString

from ledger.models import Entry
from tables.admin.fields import AmountField, in_currency
from tables.admin.signed import SECOND, AtTableForm, SignedForm, house_table
from tables.admin.text import amount_text, card_text, link, part, words
from tables.models import CardSource, Casino, Countersignature, Round, RoundStatus, Table
from tables.selectors.views import is_card_room
from tables.services.command import Answer, Command
from tables.services.corrections import REASONS, REVERSIBLE, correction_post, entry_reverse, round_correct

KINDS = ("entry.reverse", "correction.post", "round.correct", "round.cancel")
WHY = {"Why": ("reason", "note"), **SECOND}
DIRECTIONS = {"to_seat": "From the tray to the seat", "to_tray": "From the seat into the tray"}
TABLE_STREAM = "table:"
CORRECTIONS_SHOWN = 60


class CorrectionForm(SignedForm, AtTableForm):
    """What every correction asks: why, and a second signature."""

    done: ClassVar[str]

    reason: forms.Field = forms.ChoiceField(
        choices=[("", "Choose a reason"), *((code, words(code).capitalize()) for code in REASONS)]
    )
    note = forms.CharField(
        required=False, max_length=200, help_text="What happened, in a sentence; it stays in the journal."
    )

    def correct(self, command: Command) -> Answer:
        """Call the service."""
        raise AssertionError("a correction says what it does")

    def act(self, command: Command) -> str:
        """Correct it; the person is shown the entry it became."""
        made = self.correct(command).body["correction"]
        self.leads_to = reverse("admin:ledger_entry_change", args=[made["entry"]])
        return f"{self.done}: entry {made['seq']} of table {self.table.code}."


class ReversalForm(CorrectionForm):
    """Reverse an entry."""

    operation = "entry.reverse"
    word = "reverse"
    title = "Reverse this entry"
    lead = (
        "Every movement of it goes back, once; the entry itself stays. Chips that are not there any more are "
        "posted as disputed."
    )
    button = "Reverse"
    done = "Reversed"
    sections = WHY

    def table_of(self, subject: uuid.UUID) -> Table:
        """The table in whose journal the entry is."""
        stream = Entry.objects.values_list("stream__name", flat=True).get(pk=subject)
        if not stream.startswith(TABLE_STREAM):
            raise Http404
        return house_table(self.casino, uuid.UUID(stream.removeprefix(TABLE_STREAM)))

    def correct(self, command: Command) -> Answer:
        """Take the entry back."""
        return entry_reverse(
            table_id=self.table.id,
            entry_id=self.subject,
            reason=self.cleaned_data["reason"],
            note=self.cleaned_data["note"],
            second=self.second,
            command=command,
        )

    @classmethod
    def fits(cls, row: Entry) -> bool:
        """Entries that made nothing but movements, once."""
        return row.kind in REVERSIBLE and not Entry.objects.filter(reverses=row.pk).exists()


class MispayForm(CorrectionForm):
    """Post a correction."""

    operation = "correction.post"
    word = "correct"
    title = "Post a correction"
    lead = (
        "For a payout that was wrong: chips between the tray and a seat. Where nobody sits there any more "
        "they are in dispute; without a seat, a dispute ends."
    )
    button = "Post"
    done = "Posted"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Chips": ("direction", "amount", "seat"), **WHY}

    direction = forms.ChoiceField(choices=[("", "Choose which way"), *DIRECTIONS.items()])
    amount = AmountField()
    seat = forms.IntegerField(
        required=False,
        min_value=1,
        help_text="Empty for chips that end a dispute, which takes the place.",
    )

    def __init__(self, casino: Casino, object_id: uuid.UUID | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(casino, object_id, *args, **kwargs)
        in_currency(self)

    def correct(self, command: Command) -> Answer:
        """Document the mispay."""
        return correction_post(
            table_id=self.table.id,
            seat=self.cleaned_data["seat"],
            amount=self.cleaned_data["amount"],
            direction=self.cleaned_data["direction"],
            reason=self.cleaned_data["reason"],
            note=self.cleaned_data["note"],
            second=self.second,
            command=command,
        )

    @classmethod
    def fits(cls, row: Table) -> bool:
        """Open tables between rounds."""
        return row.session_id is not None and row.round_id is None


class PhysicalForm(CorrectionForm):
    """Set the cards that lay."""

    operation = "round.correct"
    word = "set_cards"
    title = "Set the physical cards"
    lead = (
        "The round is settled again, for the same wagers, on the cards that really lay. What was recorded is "
        "kept beside it, and the difference is paid or claimed."
    )
    button = "Settle on these cards"
    done = "Corrected"
    sections: ClassVar[dict[str, tuple[str, ...]]] = {"Cards": ("cards",), **WHY}

    cards = forms.RegexField(
        r"^[2-9TJQKA][SHDC](?: +[2-9TJQKA][SHDC]){1,2}$",
        label="The cards that lay",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "characters"}),
        help_text="In order, separated by spaces, as 5S QH 9D; T is a ten.",
        error_messages={"invalid": "Enter two or three cards, as 5S QH 9D."},
    )

    def table_of(self, subject: uuid.UUID) -> Table:
        """The table it was played at."""
        return house_table(self.casino, Round.objects.values_list("table", flat=True).get(pk=subject))

    def correct(self, command: Command) -> Answer:
        """Settle the round on its physical cards."""
        return round_correct(
            round_id=self.subject,
            cards=self.cleaned_data["cards"].split(),
            reason=self.cleaned_data["reason"],
            note=self.cleaned_data["note"],
            second=self.second,
            command=command,
        )

    @classmethod
    def fits(cls, row: Round) -> bool:
        """Settled rounds of scanned shoes, while a session is open between rounds."""
        played = row.status == RoundStatus.COMPLETE and row.shoe is not None and not is_card_room(row.rules)
        return played and row.shoe.source == CardSource.SCANNED and MispayForm.fits(row.table)


@dataclass(frozen=True, slots=True)
class Shown:
    """A correction as pages show it."""

    entry: SafeString | str
    kind: str
    about: str
    why: str
    first: str
    second: str
    recorded_at: Any


def corrections_table(stream: str, entries: Sequence[Entry]) -> SafeString | str:
    """These corrections, in a table's stream: what they did, why, and who signed."""
    if not entries:
        return "none"
    casino = Casino.objects.get(tables__id=uuid.UUID(stream.removeprefix(TABLE_STREAM)))
    seqs = [entry.seq for entry in entries]
    signed = Countersignature.objects.filter(stream=stream, seq__in=seqs).select_related("first", "second")
    by_seq = {signature.seq: signature for signature in signed}
    rows = [_shown(entry, by_seq[entry.seq], casino.currency) for entry in entries]
    return part("corrections", rows=rows)


def _shown(entry: Entry, signed: Countersignature, currency: str) -> Shown:
    said = json.loads(entry.payload)
    why = words(said["reason"]) + (f": {said['note']}" if said["note"] else "")
    first, second = str(signed.first), str(signed.second)
    about = correction_about(entry.kind, said, currency)
    return Shown(link(entry, entry.seq), entry.kind, about, why, first, second, entry.recorded_at)


def correction_about(kind: str, said: dict[str, Any], currency: str) -> str:
    """What a correction did, in a sentence; `said` is its payload."""
    if kind == "entry.reverse":
        return f"entry {said['seq']} ({said['kind']}) was taken back"
    if kind == "round.cancel":
        return "the round was voided after it was over"
    if kind == "round.correct":
        lay = " ".join(map(card_text, said["cards"]))
        return f"{lay} lay, recorded were {' '.join(map(card_text, said['recorded']['cards']))}"
    amount = f"{amount_text(said['amount'], currency)} {currency}"
    place = "dispute" if said["seat"] is None else f"seat {said['seat']}"
    return (
        f"{amount} from the tray to {place}"
        if said["direction"] == "to_seat"
        else (f"{amount} from {place} into the tray")
    )


def corrections_between(stream: str, first: int, last: int) -> list[Entry]:
    """The corrections among a stream's entries from one number to another."""
    found = Entry.objects.filter(stream__name=stream, seq__gte=first, seq__lte=last, kind__in=KINDS)
    return list(found.order_by("seq")[:CORRECTIONS_SHOWN])


def corrections_of(played: Round) -> list[Entry]:
    """The corrections of a round; each names the one before it."""
    return list(_back_from(played))[::-1]


def _back_from(played: Round) -> Iterator[Entry]:
    seq = played.cancelled_seq or played.corrected_seq or played.last_seq
    while seq > played.last_seq:
        entry = Entry.objects.get(stream__name=played.table.stream, seq=seq)
        yield entry
        seq = json.loads(entry.payload)["before_seq"]


def corrections_about(entry: Entry) -> list[Entry]:
    """The correction an entry is, or those of what it says: its reversal, its round's corrections."""
    if entry.kind in KINDS:
        return [entry, *Entry.objects.filter(reverses=entry.pk)]
    if entry.kind.startswith("round."):
        played = Round.objects.select_related("table").get(pk=json.loads(entry.payload)["round"])
        return corrections_of(played)
    return list(Entry.objects.filter(reverses=entry.pk))
