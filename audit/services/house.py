"""The house as a whole: every chip somewhere, the journal sound."""

import uuid
from collections import defaultdict
from collections.abc import Iterator
from uuid import UUID

from audit.codes import JOURNAL_PREFIX, Found
from audit.conservation import Conservation
from audit.selectors.balances import conservation
from audit.selectors.markers import markers_astray
from audit.selectors.promos import pieces_astray, promos_astray
from audit.selectors.slips import slips_astray
from audit.services.findings import finding_record
from config import env
from ledger import verify
from ledger.checkpoints.keys import KeyStore
from ledger.checkpoints.publish import Folder
from ledger.verify_checkpoint import verify_checkpoint
from ledger.verify_journal import Report, verify_journal
from tables.models import Casino, Table


def conservation_check(*, casino_id: uuid.UUID) -> Conservation:
    """See where all chips of a casino are and whether its slips say so too; record what does not add up."""
    casino = Casino.objects.get(id=casino_id)
    result = conservation(casino)
    astray = (
        *slips_astray(casino, result.astray),
        *promos_astray(casino),
        *markers_astray(casino),
    )
    for found in (*result.differences(), *astray):
        finding_record(casino_id=casino_id, found=found)
    return result


def pieces_check(*, casino_id: uuid.UUID) -> None:
    """Follow every promotional piece of a casino by its number; record what is wrong."""
    for found in pieces_astray(Casino.objects.get(id=casino_id)):
        finding_record(casino_id=casino_id, found=found)


def journal_check() -> Report:
    """Verify the whole journal, by itself and by the checkpoint published last, and record what is wrong as
    findings of the casinos concerned.

    What belongs to no casino (a stream of nobody's) is everybody's finding.
    """
    report = verify_journal()
    published = Folder(env.checkpoint_folder()).latest()
    if published is not None:
        verify_checkpoint(notes=[published], keys=KeyStore(env.home()).verifiers(), report=report)
    owners = _owners()
    everybody = list(Casino.objects.values_list("id", flat=True))
    for (kind, stream, seq), details in _grouped(report.findings):
        found = Found(JOURNAL_PREFIX + kind, {"details": details}, stream=stream, seq=seq)
        for casino_id in owners.get(stream, everybody):
            finding_record(casino_id=casino_id, found=found)
    return report


def _grouped(findings: list[verify.Finding]) -> Iterator[tuple[tuple[str, str, int | None], list[str]]]:
    """The verifier's finds by cause: what it says of one entry more than once is one finding."""
    by_cause: dict[tuple[str, str, int | None], list[str]] = defaultdict(list)
    for finding in findings:
        by_cause[finding.type, finding.stream, finding.seq].append(finding.detail)
    yield from by_cause.items()


def _owners() -> dict[str, list[UUID]]:
    """The casino each stream belongs to."""
    owners = {table.stream: [table.casino_id] for table in Table.objects.all()}
    for casino in Casino.objects.all():
        owners |= {casino.stream: [casino.id], casino.cage_stream: [casino.id]}
    return owners
