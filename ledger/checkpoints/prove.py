"""Proofs on request: a handful of stored nodes, however large the tree."""

from uuid import UUID

from ledger.checkpoints.proof import ConsistencyProof, InclusionProof
from ledger.checkpoints.store import fetch_from, last_checkpoint, position_of
from ledger.checkpoints.tree import consistency_plan, hashes_of, inclusion_plan
from ledger.errors import CheckpointUnknown, NotSealed
from ledger.models import Checkpoint


def prove_entry(entry_id: UUID, *, size: int | None = None) -> InclusionProof | None:
    """That an entry is sealed, under the checkpoint of ``size`` entries or the last one.

    Answers None when there is no such entry.

    Raises:
        NotSealed: the entry is not under that checkpoint.
        CheckpointUnknown: there is no checkpoint of that size.
    """
    found = position_of(entry_id)
    if found is None:
        return None
    checkpoint = _checkpoint(size) if size is not None else last_checkpoint()
    index = found[0]
    if checkpoint is None or index is None or index >= checkpoint.size:
        raise NotSealed("the entry is not sealed yet", size=checkpoint.size if checkpoint else 0)
    hashes = hashes_of(inclusion_plan(index, checkpoint.size), fetch_from())
    return InclusionProof(index, tuple(hashes), checkpoint.note)


def prove_consistency(*, old: int, new: int) -> ConsistencyProof:
    """That the checkpoint of ``new`` entries continues the one of ``old`` entries.

    Raises:
        CheckpointUnknown: one of them does not exist, or ``new`` is the smaller one.
    """
    earlier, later = _checkpoint(old), _checkpoint(new)
    if later.size < earlier.size:
        raise CheckpointUnknown("the newer checkpoint is the larger one", size=new)
    hashes = hashes_of(consistency_plan(earlier.size, later.size), fetch_from())
    return ConsistencyProof(earlier.size, tuple(hashes), later.note)


def _checkpoint(size: int) -> Checkpoint:
    found = Checkpoint.objects.filter(size=size).first()
    if found is None:
        raise CheckpointUnknown("there is no checkpoint of this size", size=size)
    return found
