"""Writes rows of every type that results hold, and compares pages of them in Parquet with the same pages in Arrow.

    parquet_pages.py rows <file>                     writes the rows, as an Arrow stream
    parquet_pages.py compare <arrow> <parquet>...    reads pages with pyarrow, DuckDB and polars
    parquet_pages.py find <parquet> <key>...         prints how many rows each of them finds with each key
"""

import datetime as dt
import decimal
import random
import sys

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

ROW_COUNT = 3000


def numbers(width, signed):
    low, high = (-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else (0, 2**width - 1)
    return lambda r: r.choice([low, high, 0, 1, r.randint(low, high)])


def text(r):
    return r.choice(["", "a", "größer", "𝔘", '"\n', "x" * 40, str(r.random())])


def decimals(precision, scale):
    def value(r):
        digits = r.choice([0, 1, 10**precision - 1, r.randrange(10**precision)])
        with decimal.localcontext(prec=100):
            return decimal.Decimal(r.choice([-1, 1]) * digits).scaleb(-scale)

    return value


def listed(item, least=0, most=4):
    return lambda r: [None if r.random() < 0.2 else item(r) for _ in range(r.randint(least, most))]


i32 = numbers(32, True)
i64 = numbers(64, True)
struct = pa.struct([("n", pa.int32()), ("s", pa.string()), ("l", pa.list_(pa.int64()))])


def members(r):
    return {"n": i32(r), "s": r.choice([None, text(r)]), "l": r.choice([None, listed(i64)(r)])}


def day(r):
    return dt.date(1970, 1, 1) + dt.timedelta(days=r.randint(-200_000, 200_000))


KINDS = {
    "null": (pa.null(), lambda r: None),
    "bool": (pa.bool_(), lambda r: r.random() < 0.5),
    **{
        f"{'' if signed else 'u'}int{width}": (
            getattr(pa, f"{'' if signed else 'u'}int{width}")(),
            numbers(width, signed),
        )
        for width in (8, 16, 32, 64)
        for signed in (True, False)
    },
    "half": (pa.float16(), lambda r: r.choice([0.0, -0.0, 1.5, 65504.0, 6e-8, float("inf")])),
    "float": (pa.float32(), lambda r: r.choice([0.1, float("nan"), r.gauss(0, 1e10)])),
    "double": (pa.float64(), lambda r: r.choice([-0.0, float("-inf"), r.gauss(0, 1e300)])),
    "utf8": (pa.string(), text),
    "large_utf8": (pa.large_string(), text),
    "binary": (pa.binary(), lambda r: r.randbytes(r.randint(0, 20))),
    "large_binary": (pa.large_binary(), lambda r: r.randbytes(r.randint(0, 20))),
    "fixed_binary": (pa.binary(3), lambda r: r.randbytes(3)),
    "decimal9": (pa.decimal128(9, 2), decimals(9, 2)),
    "decimal18": (pa.decimal128(18, 18), decimals(18, 18)),
    "decimal38": (pa.decimal128(38, 4), decimals(38, 4)),
    "decimal76": (pa.decimal256(76, 10), decimals(76, 10)),
    "decimal_negative": (pa.decimal128(10, -3), decimals(10, -3)),
    "date32": (pa.date32(), day),
    "date64": (pa.date64(), day),
    "time_s": (pa.time32("s"), lambda r: r.randrange(86_400)),
    "time_ms": (pa.time32("ms"), lambda r: r.randrange(86_400_000)),
    "time_us": (pa.time64("us"), lambda r: r.randrange(86_400_000_000)),
    "time_ns": (pa.time64("ns"), lambda r: r.randrange(86_400_000_000) * 1000),
    **{
        f"timestamp_{unit}_{zone or 'none'}": (
            pa.timestamp(unit, zone),
            lambda r, each=each: r.randint(-(10**9), 4 * 10**9) * each,
        )
        for unit, each in (("s", 1), ("ms", 1007), ("us", 1_000_003), ("ns", 1_000_000_000))
        for zone in (None, "UTC", "Europe/Zurich")
    },
    "duration": (pa.duration("us"), i64),
    "interval": (
        pa.month_day_nano_interval(),
        lambda r: pa.MonthDayNano([r.randint(-50, 50), r.randint(-50, 50), r.randint(0, 10**15)]),
    ),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), lambda r: r.choice(["red", "blue", ""])),
    "list": (pa.list_(pa.int32()), listed(i32)),
    "large_list": (pa.large_list(pa.string()), listed(text)),
    "fixed_list": (pa.list_(pa.int64(), 2), listed(i64, 2, 2)),
    "struct": (struct, members),
    "list_of_lists": (pa.list_(pa.list_(pa.string())), listed(listed(text))),
    "list_of_structs": (pa.list_(struct), listed(members)),
    "map": (
        pa.map_(pa.string(), pa.int32()),
        lambda r: [(str(key), r.choice([None, i32(r)])) for key in range(r.randint(0, 3))],
    ),
    "map_of_lists": (
        pa.map_(pa.int64(), pa.list_(struct)),
        lambda r: [(key, r.choice([None, listed(members)(r)])) for key in range(r.randint(0, 3))],
    ),
}


def table_of_all_kinds():
    r = random.Random(7)
    columns = [
        pa.array([None if r.random() < 0.1 else value(r) for _ in range(ROW_COUNT)], type)
        for type, value in KINDS.values()
    ]
    uuid = pa.array([None if r.random() < 0.1 else r.randbytes(16) for _ in range(ROW_COUNT)], pa.binary(16))
    json = pa.array([None if r.random() < 0.1 else '{"a": [1, "x"]}' for _ in range(ROW_COUNT)], pa.string())
    no_nulls = pa.array([i64(r) for _ in range(ROW_COUNT)], pa.int64())
    fields = [
        *[pa.field(name, type) for name, (type, _) in KINDS.items()],
        pa.field("uuid", pa.binary(16), metadata={"ARROW:extension:name": "arrow.uuid", "ARROW:extension:metadata": ""}),
        pa.field("json", pa.string(), metadata={"ARROW:extension:name": "arrow.json", "ARROW:extension:metadata": ""}),
        pa.field("no_nulls", pa.int64(), nullable=False),
        pa.field("__proto__", pa.int64()),
        pa.field("a.b", pa.int64()),
    ]
    return pa.Table.from_arrays([*columns, uuid, json, no_nulls, no_nulls, no_nulls], schema=pa.schema(fields))


# What Parquet knows no such type for, or readers do not restore.
OTHER_TYPES = {
    "date64": pa.date32(),
    "time_s": pa.time32("ms"),
    "interval": pa.string(),
    "fixed_list": pa.list_(pa.int64()),
    "decimal_negative": pa.decimal128(13, 0),
    **{f"timestamp_s_{zone or 'none'}": pa.timestamp("ms", zone) for zone in (None, "UTC", "Europe/Zurich")},
}


def shown(column):
    return [repr(value) for value in column.to_pylist()]


def compare_pyarrow(arrow, parquet):
    assert parquet.column_names == arrow.column_names, parquet.column_names
    for name in arrow.column_names:
        expected = OTHER_TYPES.get(name, arrow.schema.field(name).type)
        actual = parquet.schema.field(name).type
        assert actual == expected, f"{name} is read as {actual}, not {expected}"
        if name == "interval":
            assert parquet[name].null_count == arrow[name].null_count
            continue
        column = arrow[name].cast(expected) if name == "decimal_negative" else arrow[name]
        assert shown(parquet[name]) == shown(column), f"pyarrow reads other values of {name}"


def compare_duckdb(path, arrow):
    # DuckDB has no durations in Parquet, no such wide decimals, and intervals only of its own.
    left_out = {"duration", "interval", "decimal76", "null", "half"}
    names = [name for name in arrow.column_names if name not in left_out]
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'").fetchall()
    for name in names:
        page = arrow.select([name]).rename_columns(["c"])
        if name == "decimal_negative":
            page = page.cast(pa.schema([("c", OTHER_TYPES[name])]))
        connection.register("page", page)
        sql = f"""SELECT count(*) FROM (SELECT "{name}" AS p FROM read_parquet('{path}')) AS a
            POSITIONAL JOIN (SELECT c FROM page) AS b WHERE a.p::VARCHAR IS DISTINCT FROM b.c::VARCHAR"""
        count = connection.execute(sql).fetchall()[0][0]
        assert count == 0, f"DuckDB reads {count} other values of {name}"


def compare_polars(path, arrow):
    # polars has no maps, and refuses wider decimals; of lists of a fixed size it
    # makes arrays, of Arrow's dates of milliseconds instants.
    left_out = {"interval", "map", "map_of_lists", "date64", "decimal76", "decimal_negative", "fixed_list", "uuid", "json"}
    names = [name for name in arrow.column_names if name not in left_out]
    read = polars.read_parquet(path, columns=names)
    expected = polars.from_arrow(arrow.select(names))
    for name in names:
        same = [repr(value) for value in read[name].to_list()] == [repr(value) for value in expected[name].to_list()]
        assert same, f"polars reads other values of {name}"


def find(path, keys):
    connection = duckdb.connect()
    for key in keys:
        sql = f"SELECT count(*) FROM read_parquet('{path}') WHERE key = ?"
        print(
            pq.read_table(path, filters=[("key", "==", key)]).num_rows,
            connection.execute(sql, [key]).fetchall()[0][0],
            polars.scan_parquet(path).filter(polars.col("key") == key).collect().height,
        )


def main():
    command, *paths = sys.argv[1:]
    if command == "find":
        find(paths[0], paths[1:])
        return
    if command == "rows":
        table = table_of_all_kinds()
        with pa.ipc.new_stream(paths[0], table.schema) as stream:
            stream.write_table(table, max_chunksize=1000)
        return
    for arrow_path, parquet_path in zip(paths[::2], paths[1::2]):
        arrow = pa.ipc.open_stream(arrow_path).read_all()
        file = pq.ParquetFile(parquet_path)
        compare_pyarrow(arrow, file.read())
        compare_duckdb(parquet_path, arrow)
        compare_polars(parquet_path, arrow)
        print(f"{arrow.num_rows} rows, {file.num_row_groups} row groups")


main()
