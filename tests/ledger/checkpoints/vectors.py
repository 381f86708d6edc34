"""The test vectors of ledger/FORMAT.md, made from the entries of tests/data/ledger_vectors.json."""

import json

from config.env import BASE_DIR
from ledger.checkpoints.note import Checkpoint, SignerKey
from ledger.checkpoints.proof import ConsistencyProof, InclusionProof
from ledger.checkpoints.tree import (
    Growth,
    Node,
    consistency_plan,
    hashes_of,
    inclusion_plan,
    leaf_hash,
    place_of,
)

FORMAT = BASE_DIR / "ledger" / "FORMAT.md"
SIGNER = SignerKey("casino.example/journal", bytes(range(32)))
LEAVES = 5


def entry_hashes() -> list[bytes]:
    """Five entry hashes: the published ones, as often as it takes."""
    vectors = json.loads((BASE_DIR / "tests" / "data" / "ledger_vectors.json").read_text())["vectors"]
    hashes = [bytes.fromhex(vector["hash"]) for vector in vectors]
    return [hashes[number % len(hashes)] for number in range(LEAVES)]


def blocks() -> dict[str, str]:
    """Every vector by its name in the document."""
    growth, stored, roots = Growth(), list[bytes](), list[bytes]()
    for value in entry_hashes():
        stored += growth.append(leaf_hash(value))
        roots.append(growth.root())

    def fetch(nodes: object) -> dict[Node, bytes]:
        return {node: stored[place_of(node)] for node in nodes}  # type: ignore[attr-defined]

    notes = [
        SIGNER.sign(Checkpoint(SIGNER.name, size, root).text) for size, root in enumerate(roots, start=1)
    ]
    inclusion = InclusionProof(2, tuple(hashes_of(inclusion_plan(2, LEAVES), fetch)), notes[-1])
    consistency = ConsistencyProof(3, tuple(hashes_of(consistency_plan(3, LEAVES), fetch)), notes[-1])
    return {
        "entry hashes": "".join(f"{value.hex()}\n" for value in entry_hashes()),
        "leaves": "".join(f"{leaf_hash(value).hex()}\n" for value in entry_hashes()),
        "roots": "".join(f"{size} {root.hex()}\n" for size, root in enumerate(roots, start=1)),
        "stored nodes": "".join(f"{place} {value.hex()}\n" for place, value in enumerate(stored)),
        "keys": f"{SIGNER.seed.hex()}\n{SIGNER.text}\n{SIGNER.verifier.text}\n",
        "checkpoint of 3": notes[2],
        "checkpoint of 5": notes[4],
        "inclusion of leaf 2 in 5": inclusion.text,
        "consistency of 3 and 5": consistency.text,
    }


def document_blocks() -> dict[str, str]:
    """The vectors that stand in the document: fenced, each below a line ``Vector: <name>``."""
    found: dict[str, str] = {}
    for part in FORMAT.read_text(encoding="utf-8").split("Vector: ")[1:]:
        name, _, rest = part.partition("\n")
        found[name.strip()] = rest.split("```text\n", 1)[1].split("```", 1)[0]
    return found
