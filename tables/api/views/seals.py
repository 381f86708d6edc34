"""What auditors take away: checkpoints, and proofs that hold without us."""

import uuid
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from config.api.acts import Act
from config.api.pagination import page
from ledger.checkpoints.prove import prove_consistency, prove_entry
from ledger.errors import CheckpointUnknown
from ledger.models import Checkpoint
from tables.api.base import StaffView
from tables.api.serializers.seals import (
    CheckpointPage,
    CheckpointRecord,
    CheckpointsQuery,
    ConsistencyQuery,
    ConsistencyRecord,
    InclusionRecord,
    ProofQuery,
)
from tables.selectors.records import entry_by_id, is_stream_of
from tables.services.locks import not_found

READ = "audit.read"


class EntryProof(StaffView):
    """A proof that an entry is sealed."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, InclusionRecord, query=ProofQuery, name="entries_prove"),
    }

    def get(self, request: Request, entry_id: uuid.UUID) -> Response:
        """The entry's inclusion in the tree of a checkpoint, by default the last one."""
        size = self.query().get("size")
        entry = entry_by_id(entry_id)
        if entry is None or not is_stream_of(entry.stream.name, casino_id=self.actor.casino_id):
            raise not_found("entry")
        proof = prove_entry(entry_id, size=size)
        if proof is None:
            raise not_found("entry")
        found = {"entry": str(entry_id), "hash": bytes(entry.hash).hex(), "index": proof.index}
        return Response(found | {"proof": proof.text})


class CheckpointList(StaffView):
    """Checkpoints."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, CheckpointPage, query=CheckpointsQuery, name="checkpoints_list"),
    }

    def get(self, request: Request) -> Response:
        """All checkpoints, smallest first; the journal is one for all houses of the database."""
        found = page(
            Checkpoint.objects.all(),
            keys=("size",),
            scope=("checkpoints",),
            cursor=self.query().get("cursor"),
        )
        return Response({"results": [_record(row) for row in found.rows], "next": found.next})


class CheckpointDetail(StaffView):
    """A checkpoint."""

    acts: ClassVar[dict[str, Act]] = {"GET": Act(READ, CheckpointRecord, name="checkpoints_read")}

    def get(self, request: Request, size: int) -> Response:
        """The checkpoint of so many entries."""
        found = Checkpoint.objects.filter(size=size).first()
        if found is None:
            raise CheckpointUnknown("there is no checkpoint of this size", size=size)
        return Response(_record(found))


class CheckpointConsistency(StaffView):
    """A proof that one checkpoint continues another."""

    acts: ClassVar[dict[str, Act]] = {
        "GET": Act(READ, ConsistencyRecord, query=ConsistencyQuery, name="checkpoints_prove"),
    }

    def get(self, request: Request, size: int) -> Response:
        """That this checkpoint continues an earlier one."""
        old = self.query()["old"]
        return Response({"old": old, "new": size, "proof": prove_consistency(old=old, new=size).text})


def _record(row: Checkpoint) -> dict[str, Any]:
    return {
        "size": row.size,
        "sealed_at": row.sealed_at.isoformat(),
        "origin": row.origin,
        "root_hash": bytes(row.root).hex(),
        "note": row.note,
    }
