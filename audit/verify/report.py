"""What the verifier finds, by type, and what it only remarks."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from audit.codes import CODES, Found

LISTED = 1000
"""Findings that are kept and shown; all are counted."""

TYPES: dict[str, str] = {
    # the container and what is signed
    "container_unreadable": "The members of the bundle cannot be told apart.",
    "container_not_canonical": "The bundle is not the one zip its members have.",
    "manifest_not_signed": "No pinned key has signed this manifest.",
    "manifest_invalid": "The manifest does not say what a manifest says.",
    "manifest_differs": "The manifest says something else than the entries.",
    "member_differs": "A member is not the one the manifest names.",
    "scope_not_met": "The bundle does not hold what it is said to be about.",
    "keys_invalid": "The list of public keys is not one of this log's keys.",
    # the tree
    "checkpoint_not_signed": "No pinned key of the log has signed the checkpoint.",
    "checkpoint_differs": "The checkpoint is not the one the manifest was cut at.",
    "leaf_differs": "An entry is not the one that was sealed.",
    "leaves_differ": "There is not one leaf for each entry.",
    "root_differs": "The entries are not all under the root that was signed.",
    "consistency_unproved": "The checkpoint is not proved to continue an earlier one.",
    "since_unproved": "The bundle does not prove that it continues the note you have.",
    "since_newer": "The bundle is older than the note you have.",
    "log_forked": "Two signed checkpoints of one log contradict each other.",
    "timestamp_invalid": "A timestamp is not one of a checkpoint that the bundle continues.",
    # one stream
    "record_unreadable": "A record is no entry.",
    "record_out_of_place": "A record belongs to a stream that is not due.",
    "stream_incomplete": "A stream does not begin or end where the manifest says.",
    "sequence_gap": "An entry is missing, repeated or out of order.",
    "link_broken": "An entry does not carry the hash of the one before it.",
    "time_not_increasing": "An entry was not recorded later than the one before it.",
    "time_out_of_range": "A time no calendar holds.",
    "payload_digest_differs": "The payload is not the one that was hashed.",
    "payload_not_canonical": "The payload is not canonical JSON.",
    "id_repeated": "An entry id or a stream's command id stands twice.",
    "opening_invalid": "An entry that opens accounts does not do so as it must.",
    "account_unknown": "A movement names an account that nothing in the bundle opens.",
    "asset_differs": "A movement is not of its accounts' asset.",
    "movement_invalid": "A movement goes nowhere, or its amount cannot be.",
    "floor_broken": "An account falls below its floor.",
    "reversal_invalid": "A reversal is not of one earlier entry of its stream, or says it is of another.",
    "balances_stated": "Opening balances are stated where none can be, or for no account.",
    # a table
    "count_differs": "The tray does not hold what was counted.",
    "seats_not_empty": "A session begins or ends with chips on the layout.",
    "gaming_day_differs": "A session, or cash taken back, is of another gaming day than that of its moment.",
    "export_differs": "An export of rounds is not what the journal gives.",
    "export_not_signed": "No pinned key has signed the manifest beside an export.",
}
"""The verifier's own findings. Those of rounds, shoes and sessions are the audit's (`audit.codes.CODES`)."""

REMARKS: dict[str, str] = {
    "void_after_decision": "A round was voided under two signatures after a card had decided it.",
    "payment_stands": "A wrong payment was not put right, and stands.",
    "cards_exposed_often": "More than one card was exposed in a round.",
    "hand_miscounted": "A hand the server dealt is said to have another number of cards.",
    "left_out": "Somebody seated had what a deal costs, and was not dealt in.",
    "promo_before": "Promotional pieces from beyond the bundle are not judged: in stock, issued or played.",
    "slip_unseen": "Chips came into a tray or the vault that are not seen to leave the other end.",
    "marker_unseen": "Markers were paid at the cage that are not seen to be issued.",
    "timestamp_unchecked": "What an authority says of the time is signed by it, which is not checked here.",
    "kind_unknown": "What entries of this kind mean is not known here; their movements are added up.",
    "shifts_unknown": "This machine does not know the casino's time zone: shifts of rounds are not compared.",
    "days_unknown": "This machine does not know the casino's time zone: gaming days are not compared.",
    "export_alone": "No manifest lies beside an export: its rows are compared, however they are spelled.",
    "export_unread": "Rows of this form are not read here: the signed sums of its file are compared.",
}


def many(number: int, one: str, more: str = "") -> str:
    """So many of something: "1 round", "2,000 rounds"."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it must be.

    Attributes:
        type: one of `TYPES` or of `audit.codes.CODES`; of a remark, one of `REMARKS`.
        detail: a sentence for a person.
        stream, seq: the entry concerned, where there is one.
        session, round: ids concerned, where there are any.
        evidence: what lets a person judge it.
    """

    type: str
    detail: str
    stream: str = ""
    seq: int | None = None
    session: str = ""
    round: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where it is, for a person."""
        return f"{self.stream or 'bundle'}{'' if self.seq is None else f' {self.seq}'}"

    def as_dict(self) -> dict[str, Any]:
        """The finding as JSON."""
        said: dict[str, Any] = {"type": self.type, "detail": self.detail, "stream": self.stream}
        said |= {"seq": self.seq, "session": self.session, "round": self.round}
        return said | {"evidence": dict(self.evidence)}


@dataclass(slots=True)
class Findings:
    """All findings and remarks of one bundle; beyond the first thousand they are only counted."""

    listed: list[Finding] = field(default_factory=list)
    remarks: list[Finding] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, detail: str, stream: str = "", seq: int | None = None) -> None:
        """Take a finding of the verifier's own."""
        assert kind in TYPES, f"a type nobody described: {kind}"
        self._keep(Finding(kind, detail, stream, seq))

    def found(self, found: Found) -> None:
        """Take a find of the audit's checkers."""
        text = CODES[found.code].text
        session = "" if found.session is None else str(found.session)
        round_id = "" if found.round is None else str(found.round)
        evidence = json.loads(json.dumps(found.evidence, default=str))
        detail = f"{text} {json.dumps(evidence, sort_keys=True)}" if evidence else text
        finding = Finding(found.code, detail, found.stream, found.seq, session, round_id, evidence)
        if found.code in REMARKS:  # allowed, and always shown
            self.remarks.append(finding)
        else:
            self._keep(finding)

    def remark(self, kind: str, detail: str, stream: str) -> None:
        """Take a remark, which fails nothing."""
        assert kind in REMARKS, f"a remark nobody described: {kind}"
        self.remarks.append(Finding(kind, detail, stream))

    def take(self, other: "Findings", seq: int) -> None:
        """Take what others found about the entry of this number, as far as it is listed."""
        for finding in other.listed:
            if finding.seq == seq:
                self._keep(finding)

    def count_rest(self, other: "Findings") -> None:
        """Count what others found and did not list."""
        self.counts += other.counts - Counter(finding.type for finding in other.listed)

    def _keep(self, finding: Finding) -> None:
        self.counts[finding.type] += 1
        if len(self.listed) < LISTED:
            self.listed.append(finding)

    @property
    def count(self) -> int:
        """How many findings there are."""
        return self.counts.total()
