import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CliProcess,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { runJava } from '../testkit/java-program.ts';
import { describeWithTool, flightJdbc, flightPython, flightRust } from '../testkit/toolchain.ts';
import { PythonSession } from './python-session.ts';

/** Drivers for any server of Arrow Flight SQL, unchanged, against `quire start`. */

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: CliProcess;
let http: string;
let grpc: string;

/** The table of the guide, with fewer rows than the quickstart has. */
const flightCount = 20_000;
const flightLines = [
  'date,delay,distance,origin,destination',
  ...Array.from(
    { length: flightCount },
    (_, n) => `2001-01-01 00:00:00,${n % 700},${n},${['SFO', 'JFK', 'OAK'][n % 3]},DEN`,
  ),
];

beforeAll(async () => {
  directory = await temporaryDirectory();
  const flights = join(directory.path, 'flights.csv');
  await writeFile(flights, flightLines.join('\n'));
  const settings = `engine.broker.flight.port = 0\nengine.table.flights.path = ${flights}\n`;
  const config = await writeSettings(directory.path, settings);
  server = new CliProcess(['start', '--config', config, '--roles', 'broker'], {
    variables: testVariables,
  });
  const urls = await server.untilPrinted(/broker +(http:\S+)[^]*flight +(grpc:\S+)[^]*Ctrl-C/);
  [http = '', grpc = ''] = urls.slice(1);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** For each type, values that are easy to get wrong. */
const types = `SELECT * FROM (VALUES
  ((-128)::TINYINT, 32767::SMALLINT, (-2147483648)::INTEGER, 9223372036854775807::BIGINT, 255::UTINYINT, 4294967295::UINTEGER,
   18446744073709551615::UBIGINT, 0.1::FLOAT, 1e308::DOUBLE, 12345678901234567.89::DECIMAL(30, 2), true, 'ünï ❤',
   '\\x00\\xFF'::BLOB, DATE '2024-02-29', TIME '23:59:59.123456', TIMESTAMP '2001-02-03 04:05:06.789123',
   TIMESTAMPTZ '2001-02-03 04:05:06Z', [1, NULL, 3], {'a': 1, 'b': ['x']}, MAP {'k': 2}, 'a'::ENUM ('a', 'b'), NULL),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL)) AS t(${Array.from({ length: 22 }, (_, index) => `c${index}`).join(', ')})`;

describeWithTool(flightPython, 'ADBC, polars and pandas', (python) => {
  let shared: PythonSession;
  beforeAll(() => {
    shared = new PythonSession(python);
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  const session = (...program: readonly string[]): Promise<unknown> => {
    const prelude = `
import json, urllib.request, pyarrow as pa, pyarrow.ipc
import adbc_driver_flightsql.dbapi as adbc
http, grpc = ${JSON.stringify(http)}, ${JSON.stringify(grpc)}
def connect(**options):
    login = {'username': 'ann', 'password': 'ann-password', **options}
    return adbc.connect(grpc, db_kwargs=login, autocommit=True)
`;
    return shared.run([prelude, ...program].join('\n'));
  };

  test('ADBC, polars and pandas reads every type with the values, types and nullability that HTTP gives', async () => {
    expect(
      await session(
        `sql = ${JSON.stringify(types)}`,
        `with connect() as c, c.cursor() as cursor:
    cursor.execute(sql)
    flight = cursor.fetch_arrow_table()
request = urllib.request.Request(http + '/query/sql?doPaginate=true&format=arrow', json.dumps({'sql': sql}).encode(),
  {'authorization': 'Bearer admin-token', 'content-type': 'application/json'})
arrow = pa.ipc.open_stream(urllib.request.urlopen(request).read()).read_all()
print(json.dumps([flight.schema.equals(arrow.schema, True), flight.equals(arrow), flight.num_columns, flight.num_rows]))`,
      ),
    ).toEqual([true, true, 22, 2]);
  });

  test('ADBC, polars and pandas reads empty results with their columns, and rows as Python has them', async () => {
    expect(
      await session(
        `with connect() as c, c.cursor() as cursor:
    cursor.execute("SELECT symbol, price FROM stocks WHERE false")
    empty = cursor.fetch_arrow_table()
    cursor.execute("SELECT symbol, count(*) n FROM stocks GROUP BY ALL ORDER BY 1 LIMIT 2")
    print(json.dumps([empty.column_names, empty.num_rows, cursor.fetchall()]))`,
      ),
    ).toEqual([
      ['symbol', 'price'],
      0,
      [
        ['AAPL', 123],
        ['AMZN', 123],
      ],
    ]);
  });

  test('ADBC, polars and pandas binds parameters of a prepared statement', async () => {
    expect(
      await session(
        `with connect() as c, c.cursor() as cursor:
    sql = "SELECT count(*) FROM stocks WHERE symbol = ? AND price > ?"
    counts = []
    for values in (("MSFT", 0), ("MSFT", 1e9), ("none", 0)):
        cursor.execute(sql, values)
        counts.append(cursor.fetchone()[0])
    print(json.dumps(counts))`,
      ),
    ).toEqual([123, 0, 0]);
  });

  test('ADBC, pandas, polars and pyarrow run the lines of the guide as they are', async () => {
    const guide = await readFile(join(root, 'packages/client/CONNECT.md'), 'utf8');
    const blocks = [...guide.matchAll(/```python\n([^]*?)```/g)].map(([, lines = '']) =>
      lines
        .replaceAll('grpc://127.0.0.1:8815', grpc)
        .replace('"analyst", "password": "quickstart-analyst"', '"ann", "password": "ann-password"')
        .replace('quickstart-analyst', 'admin-token'),
    );
    expect(blocks).toHaveLength(3);
    const [frames = '', table = '', duckdb = ''] = blocks;
    expect(
      await session(
        'import contextlib, io, duckdb',
        // It is written to the output of the process, and not to that of Python.
        'duckdb.sql("SET enable_progress_bar = false")',
        'with contextlib.redirect_stdout(io.StringIO()):',
        `${frames}\n${duckdb}`.replaceAll(/^/gm, '    '),
        `request = urllib.request.Request(http + '/query/sql?doPaginate=true', json.dumps({'sql': 'SELECT * FROM stocks'}).encode(),
  {'authorization': 'Bearer admin-token', 'content-type': 'application/json'})
request_id = json.load(urllib.request.urlopen(request))['requestId']`,
        table,
        'print(json.dumps([frame.shape, flights.shape, table.num_rows, longest]))',
      ),
    ).toEqual([[3, 2], [flightCount, 5], 560, [[flightCount, 699]]]);
  });

  test('ADBC binds parameters of every type that they can have', async () => {
    expect(
      await session(
        `import datetime, decimal
when = datetime.datetime(2001, 2, 3, 4, 5, 6, 789123)
values = [
    ("TINYINT", 1, "1"), ("BIGINT", -2**63, "-9223372036854775808"), ("UBIGINT", pa.scalar(2**64 - 1, pa.uint64()), "18446744073709551615"),
    ("DOUBLE", 0.1, "0.1"), ("FLOAT", pa.scalar(1.5, pa.float32()), "1.5"), ("DECIMAL(20, 2)", decimal.Decimal("-12345678901234567.89"), "-12345678901234567.89"),
    ("VARCHAR", "ünï ❤", "ünï ❤"), ("VARCHAR", pa.scalar("x", pa.large_string()), "x"), ("VARCHAR", "", ""), ("BLOB", b"\\x00\\xff", "\\\\x00\\\\xFF"),
    ("BOOLEAN", False, "false"), ("DATE", datetime.date(1969, 12, 31), "1969-12-31"), ("TIMESTAMP", when, "2001-02-03 04:05:06.789123"),
    ("TIMESTAMP_NS", pa.scalar(1, pa.timestamp("ns")), "1970-01-01 00:00:00.000000001"), ("TIMESTAMP", pa.scalar(-1, pa.timestamp("ms")), "1969-12-31 23:59:59.999"),
    ("VARCHAR", None, None), ("VARCHAR", pa.scalar("short", pa.string_view()), "short"), ("BLOB", pa.scalar(b"\\xff", pa.large_binary()), "\\\\xFF"),
    ("VARCHAR", pa.scalar("too long to be within its view", pa.string_view()), "too long to be within its view"), ("BLOB", pa.scalar(b"ab", pa.binary(2)), "ab"),
    ("UTINYINT", pa.scalar(255, pa.uint8()), "255"), ("DECIMAL(38, 1)", pa.scalar(decimal.Decimal("-0.5"), pa.decimal256(40, 1)), "-0.5"),
]
wrong = []
with connect() as c, c.cursor() as cursor:
    for kind, value, text in values:
        scalar = value if isinstance(value, pa.Scalar) else pa.scalar(value)
        row = pa.record_batch([pa.array([scalar.as_py()] if kind != "TIMESTAMP_NS" else pa.array([1], pa.int64()).cast(scalar.type), scalar.type)], names=["0"])
        cursor.execute(f"SELECT CAST(CAST(? AS {kind}) AS VARCHAR)", row)
        found = cursor.fetchone()[0]
        if found != text: wrong.append([kind, text, found])
    refused = []
    for row in (pa.record_batch([[1, 2]], names=["0"]), pa.record_batch([[[1]]], names=["0"]), pa.record_batch([[1], [2]], names=["0", "1"])):
        try: cursor.execute("SELECT ? + 1", row)
        except Exception as error: refused.append(dict(error.details or []).get(b"quire-reason", b"").decode())
print(json.dumps([wrong, refused]))`,
      ),
    ).toEqual([[], ['UNSUPPORTED', 'UNSUPPORTED', 'QUERY_INVALID']]);
  });

  test('ADBC cancels a query that computes, and one whose rows it reads', async () => {
    expect(
      await session(
        `import threading
def queries():
    request = urllib.request.Request(http + '/queries', headers={'authorization': 'Bearer admin-token'})
    return json.loads(urllib.request.urlopen(request).read())["queries"]
def until(condition):
    while not condition(): pass
endless = "SELECT count(*) FROM range(1000000000000)", "SELECT i FROM range(1000000000000) AS t(i)"
outcomes = []
with connect() as c:
    with c.cursor() as cursor:
        def execute():
            try: cursor.execute(endless[0])
            except Exception as error: outcomes.append(type(error).__name__)
        thread = threading.Thread(target=execute)
        thread.start()
        until(lambda: len(queries()) == 1)
        cursor.adbc_cancel()
        thread.join()
    until(lambda: queries() == [])
    with c.cursor() as cursor:
        cursor.execute(endless[1])
        rows = cursor.fetch_record_batch()
        outcomes.append(rows.read_next_batch().num_rows > 0 and len(queries()))
        cursor.adbc_cancel()
        try:
            for batch in rows: pass
        except Exception as error: outcomes.append(type(error).__name__)
    until(lambda: queries() == [])
print(json.dumps(outcomes))`,
      ),
    ).toEqual(['OperationalError', 1, 'OSError']);
  });

  test('ADBC, polars and pandas finds catalogs, schemas, tables and columns', async () => {
    expect(
      await session(
        `with connect() as c:
    found = c.adbc_get_objects(depth="all", table_name_filter="stocks").read_all().to_pylist()
    table = found[0]["catalog_db_schemas"][0]["db_schema_tables"][0]
    info = c.adbc_get_info()
    print(json.dumps([found[0]["catalog_name"], found[0]["catalog_db_schemas"][0]["db_schema_name"], table["table_name"],
      [column["column_name"] for column in table["table_columns"]], c.adbc_get_table_types(), info["vendor_name"],
      c.adbc_get_table_schema("stocks").names]))`,
      ),
    ).toEqual([
      'quire',
      'main',
      'stocks',
      ['symbol', 'date', 'price'],
      ['TABLE'],
      'Quire',
      ['symbol', 'date', 'price'],
    ]);
  });

  test('ADBC, polars and pandas are told what is wrong: the password, the SQL, the table', async () => {
    expect(
      await session(
        `def reason(error): return dict(error.details or []).get(b"quire-reason", b"").decode()
reasons = []
try: connect(password="wrong")
except Exception as error: reasons.append(type(error).__name__)
with connect() as c:
    for sql in ("SELEC 1", "SELECT * FROM nowhere", "SELECT nope FROM stocks", "DROP TABLE stocks"):
        try:
            with c.cursor() as cursor: cursor.execute(sql)
        except Exception as error: reasons.append(reason(error))
print(json.dumps(reasons))`,
      ),
    ).toEqual([
      'ProgrammingError',
      'QUERY_SYNTAX',
      'TABLE_NOT_FOUND',
      'COLUMN_NOT_FOUND',
      'QUERY_INVALID',
    ]);
  });

  test('polars and pandas read a hundred thousand rows by ADBC', async () => {
    expect(
      await session(
        `import polars, pandas
sql = "SELECT i, i * 2 AS twice, 'row ' || i AS text FROM range(100000) AS t(i)"
with connect() as c:
    by_polars = polars.read_database(sql, c)
    by_pandas = pandas.read_sql(sql, c)
print(json.dumps([by_polars.shape, int(by_polars["twice"].sum()), by_polars["text"][99999],
  by_pandas.shape, int(by_pandas["twice"].sum()), by_pandas["text"][99999]]))`,
      ),
    ).toEqual([[100_000, 3], 9_999_900_000, 'row 99999', [100_000, 3], 9_999_900_000, 'row 99999']);
  });
});

describeWithTool(flightJdbc, "Apache Arrow's JDBC driver for Flight SQL", (jars) => {
  test("Apache Arrow's JDBC driver for Flight SQL calls every getter of its metadata, and reads tables, columns and rows", async () => {
    const program = join(import.meta.dirname, '../../flight-jdbc/FlightJdbc.java');
    const { host } = new URL(grpc);
    const queries = [
      "SELECT 1::TINYINT a, 2::BIGINT b, 'x' c, DATE '2001-02-03' d, TIMESTAMP '2001-02-03 04:05:06.789' e, 1.5::DECIMAL(10,2) f, true g, NULL h",
      'SELECT i FROM range(300000) AS t(i)',
      'SELECT * FROM stocks WHERE false',
    ];
    const args = [host, 'ann', 'ann-password', ...queries];
    const lines = (await runJava(join(jars, '*'), program, args)).filter((line) =>
      /^(?:getters|failed|tables|columns|parameters|rows|order)/.test(line),
    );
    expect(lines).toEqual([
      expect.stringMatching(/^getters (\d+) of \1$/),
      expect.stringMatching(/^tables \[/),
      'columns [symbol:VARCHAR, date:VARCHAR, price:DOUBLE]',
      'parameters [9 parameters, 1, 0, MSFT 15.81, AAPL 7.07, none]',
      'rows 1 [a=1, b=2, c=x, d=2001-02-03, e=2001-02-03 04:05:06.789, f=1.50, g=true, h=null]',
      'rows 300000 [i=0]',
      'rows 0 []',
      'order 300000 rows, 0 breaks',
    ]);
  });
});

describeWithTool(flightRust, 'The crate arrow-flight', (program) => {
  test('The crate arrow-flight logs in, finds a table, and reads rows and parameters as they were announced', async () => {
    const queries = [
      "SELECT 1::TINYINT a, 2::BIGINT b, 'x' c, DATE '2001-02-03' d, TIMESTAMP '2001-02-03 04:05:06.789' e, 1.5::DECIMAL(10,2) f, true g, NULL h, [1, 2] i, {'a': 1} j, MAP {'k': 2} k, 'a'::ENUM ('a', 'b') l",
      'SELECT i FROM range(3000000) AS t(i)',
      'SELECT * FROM stocks WHERE false',
      'SELECT i FROM range(10) AS t(i) WHERE i = ?',
      'SELECT * FROM nowhere',
    ];
    const address = grpc.replace('grpc:', 'http:');
    const { stdout } = await run(program, [address, 'ann', 'ann-password', 'stocks', ...queries]);
    expect(stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^refused: .*authentication credentials/),
      'tables [catalog_name=quire, db_schema_name=main, table_name=stocks]',
      'rows 1 of 1, same schema true, [a=1, b=2, c=x, d=2001-02-03, e=2001-02-03T04:05:06.789, f=1.50, g=true, h=null, i=[1, 2], j={a: 1}, k={k: 2}, l=a]',
      'rows 3000000 of -1, same schema true, [i=0]',
      'rows 0 of 0, same schema true, no row',
      'rows 1 of 1, same schema true, [i=2]',
      expect.stringMatching(/^failed: .*entity was not found.*Table nowhere does not exist/),
    ]);
  });
});
