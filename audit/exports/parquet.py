"""Round histories as Parquet: typed columns, one sequence of bytes for given rows and a given pyarrow."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
from pyarrow import csv, parquet

from audit.exports.columns import COLUMNS, NO_ACTIVITY, Kind
from audit.verify.rounds_manifest import SCHEMA, SCHEMA_VERSION

ROWS_PER_GROUP = 16_384
"""So few that several copies of them, in all columns, leave an export's process below 300 MB."""
BLOCK = 1 << 20  # bytes of CSV read at a time

TYPES: dict[Kind, pa.DataType] = {
    Kind.DATE: pa.date32(),
    Kind.TIME: pa.timestamp("us", tz="UTC"),
    Kind.INT: pa.int64(),
    Kind.BOOL: pa.bool_(),
    Kind.LABEL: pa.dictionary(pa.int32(), pa.string()),
    Kind.TEXT: pa.string(),
}


def schema(*, is_empty: bool) -> pa.Schema:
    """The columns with their types; the file's metadata says what it is, and that there was nothing."""
    said = {"schema": SCHEMA, "version": str(SCHEMA_VERSION)} | (
        {"activity": NO_ACTIVITY} if is_empty else {}
    )
    fields = [
        pa.field(name, TYPES[column.kind], metadata={"description": column.text})
        for name, column in COLUMNS.items()
    ]
    return pa.schema(fields, metadata=said)


def write_parquet(out: IO[bytes], parts: Sequence[Path], look: Callable[[], None]) -> None:
    """Write the rows of CSV files without headers.

    Groups of rows are cut by number, never by how the reader came by them, so that the bytes follow from
    the rows.

    Args:
        parts: files with rows in them, in order.
        look: called for each group; may raise.
    """
    kept = schema(is_empty=not parts)
    with parquet.ParquetWriter(out, kept, version="2.6", compression="zstd", compression_level=3) as writer:
        for group in _groups(parts, kept):
            look()
            writer.write_table(group, row_group_size=ROWS_PER_GROUP)


def _groups(parts: Sequence[Path], kept: pa.Schema) -> Iterator[pa.Table]:
    """Tables of `ROWS_PER_GROUP` rows, the last one of what is left."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in _batches(parts):
        waiting.append(batch)
        rows += len(batch)
        while rows >= ROWS_PER_GROUP:
            table = pa.Table.from_batches(waiting)
            yield _finished(table.slice(0, ROWS_PER_GROUP), kept)
            waiting = table.slice(ROWS_PER_GROUP).to_batches()
            rows -= ROWS_PER_GROUP
    if rows:
        yield _finished(pa.Table.from_batches(waiting), kept)


def _finished(table: pa.Table, kept: pa.Schema) -> pa.Table:
    """The rows under the file's schema, each column in one piece; labels get the dictionary of these rows."""
    whole = table.combine_chunks()
    columns = [
        column.dictionary_encode() if pa.types.is_dictionary(field.type) else column
        for column, field in zip(whole.columns, kept, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=kept)


def _batches(parts: Sequence[Path]) -> Iterator[pa.RecordBatch]:
    types: dict[str, Any] = {
        name: TYPES[Kind.TEXT if column.kind == Kind.LABEL else column.kind]
        for name, column in COLUMNS.items()
    }
    for part in parts:
        with csv.open_csv(
            part,
            read_options=csv.ReadOptions(column_names=list(COLUMNS), block_size=BLOCK),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=types,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        ) as reader:
            yield from reader
