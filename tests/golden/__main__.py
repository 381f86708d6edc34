"""``python -m tests.golden`` writes every transcript anew. A released version must not change one."""

from tests.golden.transcript import render, transcripts

for path in transcripts():
    path.write_text(render(path.read_text(encoding="utf-8")), encoding="utf-8")
