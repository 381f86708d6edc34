"""A bundle judged against pinned keys: what is signed, what is proved, and what follows from the entries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from audit.resettle import Replayed
from audit.verify import container
from audit.verify.apart import Bundle, walk_apart
from audit.verify.consistency import Proofs, check_consistency
from audit.verify.container import NotCanonical
from audit.verify.exports import Expected, check_export
from audit.verify.manifest import (
    CHECKPOINT,
    CITED,
    ENTRIES,
    KEYS,
    LEAVES,
    MANIFEST,
    MEMBERS,
    NODES,
    NOTE,
    STAMP,
    Manifest,
    ManifestBad,
    note_text,
    parse_manifest,
)
from audit.verify.notes import Checkpoint, Key, NoteBad, open_checkpoint, open_note, parse_key
from audit.verify.progress import Progress
from audit.verify.records import NotCanonical as NotCanonicalJson
from audit.verify.records import canonical, parse
from audit.verify.report import Findings
from audit.verify.rows import Export
from audit.verify.scope import check_days, check_scope
from audit.verify.stamps import Stamped, check_stamps
from audit.verify.tree import HASH_BYTES, root_of
from audit.verify.walk import BundleWalk
from audit.verify.walked import Walked


@dataclass(slots=True)
class Judged:
    """What a bundle came to.

    Attributes:
        findings: what is not as it must be; the bundle holds when there are none.
        manifest: what it says it is, None where that could not be read.
        checkpoint: the one that was signed, None where it is not.
        walked: what follows from the entries, None where they could not be walked.
        proofs: which earlier checkpoints it is proved to continue.
        stamped: checkpoints with the times that timestamps of them say, whoever signed those.
    """

    findings: Findings = field(default_factory=Findings)
    manifest: Manifest | None = None
    checkpoint: Checkpoint | None = None
    walked: Walked | None = None
    proofs: Proofs = field(default_factory=Proofs)
    stamped: list[Stamped] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether nothing was found."""
        return self.findings.count == 0


def verify_bundle(
    data: bytes | memoryview,
    *,
    keys: Sequence[Key],
    since: bytes | None = None,
    exports: Sequence[Export] = (),
    jobs: int = 1,
    path: Path | None = None,
    progress: Progress | None = None,
) -> Judged:
    """Judge a bundle.

    Args:
        data: the zip.
        keys: the log's public keys, from whoever the auditor trusts with them; never the bundle's own.
        since: the signed checkpoint the auditor has from before; the bundle must be proved to continue it.
        exports: round histories that must be those of the bundle's rounds.
        jobs: how many processes may walk the entries of a large bundle; the judgement is the same.
        path: of the file that ``data`` is, for processes that share no memory with this one.
        progress: told how many entries are judged.

    Raises:
        ProcessLost: one of the processes was lost.
    """
    judged = Judged()
    try:
        members, wrong = container.decode(data, MEMBERS, more=STAMP)
    except NotCanonical as exc:
        judged.findings.add("container_unreadable", str(exc))
        return judged
    for detail in wrong:
        judged.findings.add("container_not_canonical", detail)
    judged.manifest = _manifest(members, keys, judged.findings)
    if judged.manifest is None:
        return judged
    _check_members(judged.manifest, members, judged.findings)
    judged.checkpoint = _checkpoint(judged.manifest, bytes(members[CHECKPOINT]), keys, judged.findings)
    _check_keys(bytes(members[KEYS]), judged.manifest.checkpoint.origin, judged.findings)
    expected = Expected()
    bundle = Bundle(judged.manifest.spans, members, wants_rounds=bool(exports))
    far = progress or Progress()
    far.begin(bundle.entries)
    judged.walked = walk_apart(bundle, judged.findings, expected, jobs=jobs, path=path, progress=far)
    if judged.walked is None:
        far.begin(bundle.entries)

        def played(one: Replayed) -> None:
            far.advance(one.last_seq - one.first_seq + 1)
            if exports:
                expected.take(one)

        judged.walked = walk(judged.manifest, members, judged.findings, played=played)
        far.advance(bundle.entries)
    for export in exports:
        due = expected.within(judged.manifest.scope, judged.walked)
        check_export(export, due, judged.findings, keys=keys, checkpoint=judged.manifest.checkpoint)
    _check_root(judged, members[NODES])
    judged.proofs = check_consistency(
        members, judged.checkpoint, keys=keys, since=since, findings=judged.findings
    )
    origin, roots = judged.manifest.checkpoint.origin, judged.proofs.roots
    judged.stamped = check_stamps(members, origin, roots, keys=keys, findings=judged.findings)
    _check_derived(judged.manifest, judged.walked, judged.findings)
    check_scope(judged.manifest, judged.walked, judged.findings)
    check_days(judged.walked, judged.findings)
    return judged


def walk(
    manifest: Manifest,
    members: Mapping[str, memoryview],
    findings: Findings,
    *,
    played: Callable[[Replayed], None] = lambda played: None,
) -> Walked:
    """Walk the entries of a bundle's members.

    Args:
        played: called with each round.
    """
    return BundleWalk(
        manifest.spans,
        entries=members[ENTRIES],
        cited=members[CITED],
        leaves=members[LEAVES],
        findings=findings,
        played=played,
    ).run()


def _manifest(members: Mapping[str, memoryview], keys: Sequence[Key], findings: Findings) -> Manifest | None:
    """The manifest, if it is one, whether it is signed or not."""
    content = bytes(members[MANIFEST])
    try:
        if open_note(bytes(members[NOTE]), keys) != note_text(content):
            findings.add("manifest_not_signed", "what was signed is another manifest")
    except NoteBad as exc:
        findings.add("manifest_not_signed", str(exc))
    try:
        return parse_manifest(parse(content))
    except (NotCanonicalJson, ManifestBad) as exc:
        findings.add("manifest_invalid", str(exc))
        return None


def _check_members(manifest: Manifest, members: Mapping[str, memoryview], findings: Findings) -> None:
    for name in dict.fromkeys([*manifest.members, *members]):
        if name in (MANIFEST, NOTE):
            continue
        due, content = manifest.members.get(name), members.get(name)
        if due is None or content is None or container.described(content) != due:
            findings.add("member_differs", f"{name} is not the member the manifest names")


def _checkpoint(
    manifest: Manifest, note: bytes, keys: Sequence[Key], findings: Findings
) -> Checkpoint | None:
    try:
        checkpoint = open_checkpoint(note, keys)
    except NoteBad as exc:
        findings.add("checkpoint_not_signed", str(exc))
        return None
    if checkpoint != manifest.checkpoint:
        detail = f"a checkpoint of {checkpoint.size} entries, and the manifest names one of"
        findings.add("checkpoint_differs", f"{detail} {manifest.checkpoint.size}")
    return checkpoint


def _check_keys(content: bytes, origin: str, findings: Findings) -> None:
    """The keys the bundle brings along: for reading only, but they must be keys of this log."""
    try:
        listed = [parse_key(line) for line in content.decode("ascii").splitlines()]
        texts = sorted({key.text for key in listed})
        if "".join(f"{text}\n" for text in texts).encode() != content:
            raise NoteBad("they are not listed once each, in order")
        if not listed or any(key.name != origin for key in listed):
            raise NoteBad("one of them is of another log")
    except (NoteBad, UnicodeDecodeError) as exc:
        findings.add("keys_invalid", str(exc))


def _check_root(judged: Judged, nodes: memoryview) -> None:
    """All entries at once against the signed root."""
    checkpoint, walked = judged.checkpoint, judged.walked
    if checkpoint is None or walked is None:
        return
    leaves = sorted(walked.leaves)
    ends = [0, *(first + len(hashes) // HASH_BYTES for first, hashes in leaves)]
    if any(first < end for (first, _), end in zip(leaves, ends, strict=False)) or ends[-1] > checkpoint.size:
        judged.findings.add("leaves_differ", "two entries have one leaf, or one lies beyond the checkpoint")
        return
    proof = [bytes(nodes[at : at + HASH_BYTES]) for at in range(0, len(nodes), HASH_BYTES)]
    if root_of(leaves, checkpoint.size, proof) != checkpoint.root:
        judged.findings.add("root_differs", f"they do not lead to the root of {checkpoint.size} entries")


def _check_derived(manifest: Manifest, walked: Walked, findings: Findings) -> None:
    for name, value in walked.derived.items():
        if canonical({name: manifest.derived[name]}) != canonical({name: value}):
            findings.add("manifest_differs", f"{name}: the entries give {value}"[:300])
