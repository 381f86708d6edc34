"""A house that lies about its promotional pieces and seals the lie: the entries alone do not fit together."""

import copy
import uuid
from collections.abc import Callable

import pytest

from audit.verify.records import Transfer
from tests.audit.verify.made import Line, Made, forged

Change = Callable[[list[Line]], object]


def first(lines: list[Line], kind: str) -> Line:
    return next(line for line in lines if line.kind == kind)


def laid(lines: list[Line]) -> Line:
    """The entry that lays the piece MP-1, worth 5.00, beside the bet of seat 1."""
    return next(line for line in lines if "coupons" in line.said and line.kind == "round.start")


def another_number(lines: list[Line]) -> None:
    laid(lines).said["coupons"]["1"] = "MP-9"


def no_number(lines: list[Line]) -> None:
    del laid(lines).said["coupons"]


def another_value(lines: list[Line]) -> None:
    """Issued for 3.00, of which there are some in stock, and played for 5.00."""
    for kind, said in (("promo.stock", {"pieces": {"300": 2}}), ("promo.issue", {"coupons": {"MP-1": 300}})):
        line = first(lines, kind)
        line.said.update(said, total=600 if kind == "promo.stock" else 300)
        line.moves[:] = [move._replace(amount=line.said["total"]) for move in line.moves]


def issued_again(lines: list[Line]) -> None:
    """By a copy of the entry, right after it; the entries behind it move up."""
    line = first(lines, "promo.issue")
    again = copy.deepcopy(line)
    again.id, again.command, again.recorded = uuid.uuid4(), uuid.uuid4(), line.recorded + 1
    for each in lines:
        each.seq += each.stream == line.stream and each.seq > line.seq
    again.seq += 1
    lines.insert(lines.index(line) + 1, again)


def of_no_stock(lines: list[Line]) -> None:
    first(lines, "promo.stock").said["pieces"] = {"1000": 1}


def by_one(lines: list[Line]) -> None:
    first(lines, "promo.stock").said["second"] = str(uuid.UUID(bytes=first(lines, "promo.stock").actor))


def other_worth(lines: list[Line]) -> None:
    first(lines, "promo.issue").said["total"] = 600


def under_another_name(lines: list[Line]) -> None:
    first(lines, "cage.fund").moves.append(Transfer("promo:made", "promo:stock", "promo:USD", 700))


def another_cancelled(lines: list[Line]) -> None:
    first(lines, "promo.collect").said["coupons"] = ["MP-2"]


def another_lost(lines: list[Line]) -> None:
    """Another piece was lost than the one that was cancelled."""
    laid(lines).said["coupons"]["1"] = "MP-2"
    issue = first(lines, "promo.issue")
    issue.said["coupons"] = {"MP-1": 500, "MP-2": 500}
    issue.said["total"] = 1_000
    issue.moves[:] = [move._replace(amount=1_000) for move in issue.moves]


LIES: list[tuple[Change, set[str]]] = [
    (another_number, {"promo_not_issued", "promo_not_taken_in"}),
    (no_number, {"promo_not_named", "promo_not_taken_in"}),
    (another_value, {"promo_value_differs"}),
    (issued_again, {"promo_issued_twice"}),
    (of_no_stock, {"promo_not_in_stock"}),
    (by_one, {"signature_missing"}),
    (other_worth, {"promo_amount_differs"}),
    (under_another_name, {"promo_amount_differs", "amount_differs"}),
    (another_cancelled, {"promo_not_taken_in"}),
    (another_lost, {"promo_not_taken_in"}),
]


@pytest.mark.parametrize(("change", "due"), LIES, ids=lambda part: getattr(part, "__name__", ""))
def test_a_lie_about_a_piece_is_named(made: Made, change: Change, due: set[str]) -> None:
    """RD-PROMO: where the bundle has the cage from its first entry on, whatever the manifest says."""
    assert made.types(forged(made, change)) == due


def test_what_a_bundle_cannot_know_is_a_remark_and_what_it_does_is_found(made: Made) -> None:
    """A session without the cage: a piece may have been issued before; one without a number is a lie."""
    judged = made.judged(made.bundles["beside"])
    assert judged.holds, judged.findings.listed
    remarks = [(one.type, one.detail) for one in judged.findings.remarks]
    assert remarks == [("promo_before", "1 piece from beyond the bundle")]
    assert made.types(forged(made, no_number, of="beside")) == {"promo_not_named"}
