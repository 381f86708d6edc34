"""What is judged of one stream beside the walk and its table, and of all of a bundle's streams together."""

from audit.credit import CreditCheck
from audit.facts import Fact
from audit.owed import OwedCheck, not_seen_issued, payments_astray
from audit.promos import PieceCheck, plays_astray, unissued
from audit.signed import SignatureCheck
from audit.transit import TransitCheck, not_seen_to_leave, slips_astray
from audit.vault import VaultCheck
from audit.verify.manifest import Span
from audit.verify.report import Findings, many
from audit.verify.walked import Walked

CAGE = "cage:"


class StreamChecks:
    """The audit's checks of one stream that need nothing but its entries, and what is heard of it by others.

    Args:
        span: of the stream.
        findings: takes what is wrong.
        walked: takes what the stream says that others are held against.
    """

    def __init__(self, span: Span, findings: Findings, walked: Walked) -> None:
        name, report, whole = span.stream, findings.found, span.first == 1
        pieces = PieceCheck(name, report, whole=whole)
        slips = TransitCheck(name, report, whole=whole)
        owed = OwedCheck(name, report, whole=whole)
        walked.pieces[name], walked.slips[name], walked.owed[name] = pieces.heard, slips.crossed, owed.heard
        checks: list[PieceCheck | TransitCheck | OwedCheck | VaultCheck | CreditCheck | SignatureCheck]
        checks = [pieces, slips, owed]
        if not name.startswith("table:"):
            vault = VaultCheck(name, report, from_empty=whole)
            checks += [vault, CreditCheck(name, report, whole=whole), SignatureCheck(name, report)]
        self._checks = [check.see for check in checks]

    def see(self, fact: Fact) -> None:
        """Judge the next entry."""
        for check in self._checks:
            check(fact)


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
