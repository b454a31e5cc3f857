"""Reads an Arrow file with pyarrow and polars, and prints what DuckDB makes of each value as text: {"rows": [[...]], ...}."""

import json
import sys

import duckdb
import polars
import pyarrow as pa

with pa.memory_map(sys.argv[1]) as source:
    reader = pa.ipc.open_file(source)
    batch_row_counts = [reader.get_batch(index).num_rows for index in range(reader.num_record_batches)]
    answer = reader.read_all()
answer.validate(full=True)
duckdb.sql("SET TimeZone = 'UTC'")
rows = duckdb.sql("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM answer").fetchall()
with open(sys.argv[1], "rb") as source:
    frame = polars.read_ipc(source, use_pyarrow=False)
print(
    json.dumps(
        {
            "rows": rows,
            "types": [str(field.type) for field in answer.schema],
            "batchRowCounts": batch_row_counts,
            "polarsHeight": frame.height,
            "polarsNullCounts": list(frame.null_count().row(0)),
            "nullCounts": [column.null_count for column in answer.columns],
        }
    )
)
