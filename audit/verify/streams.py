"""What is judged of one stream beside the walk and its table, and of all of a bundle's streams together."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple

from audit.credit import CreditCheck
from audit.facts import Fact, Moved
from audit.owed import MARKERS, OwedCheck, not_seen_issued, payments_astray
from audit.promos import PieceCheck, moves_pieces, plays_astray, says_pieces, unissued
from audit.signed import SignatureCheck
from audit.transit import TransitCheck, not_seen_to_leave, slips_astray
from audit.vault import VaultCheck
from audit.verify.manifest import Span
from audit.verify.report import Findings, many
from audit.verify.walked import Walked

CAGE = "cage:"
Check = Callable[[Fact], None]


class Ways(NamedTuple):
    """Whether movements are of promotional pieces, and whether they go between the cage and a table."""

    of_pieces: bool
    crossing: bool


class StreamChecks:
    """The audit's checks of one stream that need nothing but its entries, and what is heard of it by others.

    Args:
        span: of the stream.
        findings: takes what is wrong.
        walked: takes what the stream says that others are held against.
    """

    def __init__(self, span: Span, findings: Findings, walked: Walked) -> None:
        name, report, whole = span.stream, findings.found, span.first == 1
        self._pieces = pieces = PieceCheck(name, report, whole=whole)
        self._slips = slips = TransitCheck(name, report, whole=whole)
        self._owed = owed = OwedCheck(name, report, whole=whole)
        walked.pieces[name], walked.slips[name], walked.owed[name] = pieces.heard, slips.crossed, owed.heard
        self._further: list[VaultCheck | CreditCheck | SignatureCheck] = []
        if not name.startswith("table:"):
            vault = VaultCheck(name, report, from_empty=whole)
            self._further += [vault, CreditCheck(name, report, whole=whole), SignatureCheck(name, report)]

    def ways_of(self, *moves: Moved) -> Ways:
        """What of an entry's movements makes a difference to who has anything to say of it."""
        return Ways(moves_pieces(moves), self._slips.crosses(moves))

    def checks_of(self, ways: Ways, kind: str, *fields: str) -> Iterator[Check]:
        """What may have anything to say of an entry of a kind that says these fields, in order."""
        if ways.of_pieces or says_pieces(kind, fields):
            yield self._pieces.see
        if ways.crossing or kind in self._slips.kinds:
            yield self._slips.see
        if kind in MARKERS:
            yield self._owed.see
        for check in self._further:
            yield check.see

    def until(self, at: datetime) -> None:
        """No entry up to this moment is missing."""
        self._slips.crossed.until = self._owed.heard.until = at


def judge_together(findings: Findings, walked: Walked) -> None:
    """What streams say of each other; what the bundle cannot know of it is a remark."""
    _judge_pieces(findings, walked)
    for found in (*slips_astray(walked.slips), *payments_astray(walked.owed)):
        findings.found(found)
    for stream, number in sorted(not_seen_to_leave(walked.slips).items()):
        slips = many(number, "slip")
        findings.remark("slip_unseen", f"chips of {slips} arrived, and left beyond the bundle", stream)
    for stream, number in sorted(not_seen_issued(walked.owed).items()):
        markers = many(number, "marker")
        findings.remark("marker_unseen", f"{markers} paid, and issued beyond the bundle", stream)


def _judge_pieces(findings: Findings, walked: Walked) -> None:
    """What pieces did at several streams."""
    heard = walked.pieces
    until = {stream: part.until for stream, part in walked.slips.items() if part.until is not None}
    cages = (stream for stream, part in walked.slips.items() if stream.startswith(CAGE) and part.whole)
    issued_until = max((until[stream] for stream in cages if stream in until), default=None)
    for found in plays_astray(heard.values(), issued_until=issued_until, until=until):
        findings.found(found)
    before = {stream: part.before for stream, part in heard.items()}
    before[""] = len(unissued(heard.values(), issued_until))
    for stream, number in sorted(before.items()):
        if number:
            pieces = many(number, "piece")
            findings.remark("promo_before", f"{pieces} from beyond the bundle", stream)
