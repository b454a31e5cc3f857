import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PinotCursorResponse } from '@quire/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  describeWithTool,
  goClient,
  javaClient,
  javaCursorClient,
  pinotDriver,
} from '../testkit/toolchain.ts';
import {
  CliProcess,
  propertiesOf,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { runJava } from '../testkit/java-program.ts';
import { PinotCursor } from './pinot-cursor.ts';

/** Programs written for Apache Pinot, unchanged, against `quire start`. */

const run = promisify(execFile);
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: CliProcess;
let broker: string;
let proxy: string;
let controller: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const more = {
    'proxy.port': '0',
    'controller.port': '0',
    // Its queries are in the language of Apache Pinot, those of others in DuckDB's.
    'engine.auth.principal.superset.role': 'query',
    'engine.auth.principal.superset.token.env': 'SUPERSET_TOKEN',
    'engine.auth.principal.superset.dialect': 'pinot',
  };
  const config = await writeSettings(directory.path, propertiesOf(more));
  server = new CliProcess(['start', '--config', config], {
    variables: { ...testVariables, SUPERSET_TOKEN: 'superset-token' },
  });
  const urls = await server.untilPrinted(
    /broker +(http:\S+)[^]*proxy +(http:\S+)[^]*controller +(http:\S+)[^]*Ctrl-C/,
  );
  [broker = '', proxy = '', controller = ''] = urls.slice(1);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

const hostAndPort = (url: string): string => url.replace('http://', '');

/** For each type with its own name there, the value that is easiest to get wrong. */
const oneOfEachType =
  `SELECT CAST(-2147483648 AS INTEGER) AS i, CAST(9223372036854775807 AS BIGINT) AS l, CAST(0.1 AS DOUBLE) AS d,
  symbol AS s, CAST(1 AS BOOLEAN) AS b, CAST('2001-02-03 04:05:06.789' AS TIMESTAMP) AS t,
  CAST(12345678901234567.89 AS DECIMAL(30, 2)) AS n FROM stocks LIMIT 1`.replaceAll(/\s+/g, ' ');

// Release 1.2.0 is the newest one on the Maven Central that this project can reach. Release 1.5.1,
// the first with cursors, is tested where its jar is available. The calls of its cursors are tested
// below, everywhere.
describeWithTool(javaClient, "Apache Pinot's client for Java", (jars) => {
  const query = async (
    how: 'controller' | 'brokers',
    url: string,
    ...queries: readonly string[]
  ): Promise<readonly string[]> => {
    const program = join(import.meta.dirname, '../../java-client/PinotQueries.java');
    const args = [how, hostAndPort(url), ...queries];
    return runJava(join(jars, '*'), program, args, { QUIRE_TOKEN: 'admin-token' });
  };
  const queries = [
    oneOfEachType,
    "SELECT COUNT(*) AS c FROM stocks WHERE symbol = 'AAPL'",
    'SELECT nothing FROM stocks',
  ];
  const expected = [
    'i INT\tl LONG\td DOUBLE\ts STRING\tb BOOLEAN\tt TIMESTAMP\tn BIG_DECIMAL',
    '-2147483648\t9223372036854775807\t0.1\tMSFT\ttrue\t2001-02-03 04:05:06.789\t12345678901234567.89',
    'c LONG',
    '123',
    expect.stringMatching(/^failed: Query had processing exceptions: .*710.*nothing/),
  ];

  test("Apache Pinot's client for Java finds its broker through the controller, and reads every type", async () => {
    expect(await query('controller', controller, ...queries)).toEqual(expected);
  });

  test("Apache Pinot's client for Java reads every type as well when it is told of the proxy alone", async () => {
    expect(await query('brokers', proxy, ...queries)).toEqual(expected);
  });
});

describeWithTool(javaCursorClient, "Apache Pinot's client for Java, release 1.5.1", (classPath) => {
  const pages = async (
    how: 'controller' | 'brokers',
    url: string,
    ...pageNumbers: readonly string[]
  ) => {
    const program = join(import.meta.dirname, '../../java-client/PinotCursors.java');
    const args = [how, hostAndPort(url), 'SELECT range AS n FROM range(35)', '10', ...pageNumbers];
    return runJava(classPath, program, args, { QUIRE_TOKEN: 'admin-token' });
  };

  test.each([
    ['controller', 'controller'],
    ['brokers', 'proxy'],
  ] as const)(
    "Apache Pinot's client for Java, release 1.5.1 pages with its cursors in any order, told of a %s",
    async (how, what) => {
      expect(await pages(how, what === 'proxy' ? proxy : controller, '2', '4', '1', '5')).toEqual([
        'rows 35 pages of 10',
        'page 1 at 0: 0,1,2,3,4,5,6,7,8,9 >',
        'page 2 at 10: 10,11,12,13,14,15,16,17,18,19 < >',
        'page 4 at 30: 30,31,32,33,34 <',
        'page 1 at 0: 0,1,2,3,4,5,6,7,8,9 >',
        'failed: Pinot returned HTTP status 416, expected 200',
      ]);
    },
  );
});

describeWithTool(goClient, "Apache Pinot's client for Go", (program) => {
  test("Apache Pinot's client for Go finds the broker of a table through the controller, and reads every type", async () => {
    const count = "SELECT COUNT(*) AS c FROM stocks WHERE symbol = 'AAPL'";
    const queries = [oneOfEachType, count, 'SELECT nothing FROM stocks'];
    const { stdout } = await run(program, [hostAndPort(controller), 'stocks', ...queries], {
      env: { QUIRE_TOKEN: 'admin-token' },
    });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.trimEnd())).toEqual([
      'i INT\tl LONG\td DOUBLE\ts STRING\tb BOOLEAN\tt TIMESTAMP\tn BIG_DECIMAL',
      '-2147483648\t9223372036854775807\t0.1\tMSFT\ttrue\t2001-02-03 04:05:06.789\t12345678901234567.89',
      'c LONG',
      '123',
      'exception: 710',
    ]);
  });
});

describeWithTool(pinotDriver, "Apache Pinot's driver for Python", (python) => {
  const script = `
import json, sys
from pinotdb import connect
from pinotdb.exceptions import DatabaseError

host, port, sql = sys.argv[1:]
options = {'host': host, 'port': int(port), 'extra_request_headers': 'Authorization=Bearer admin-token'}
cursor = connect(**options).cursor()
cursor.execute(sql)
print(json.dumps([[column['name'], column['type']] for column in cursor.schema]))
print(json.dumps(cursor.fetchone(), default=str))
cursor.execute('SELECT symbol FROM stocks WHERE symbol = %(symbol)s LIMIT 5', {'symbol': 'IBM'})
print(json.dumps([cursor.fetchmany(2), cursor.fetchall()]))
cursor.execute('SELECT symbol FROM stocks', queryOptions='getCursor=true;cursorNumRows=3')
print(len(cursor.fetchall()))
try:
    cursor.execute('SELECT nothing FROM stocks')
except DatabaseError as error:
    print('errorCode' in str(error) and '710' in str(error))
cursor = connect(**options, use_multistage_engine=True).cursor()
cursor.execute('SELECT 1 AS one FROM stocks LIMIT 1')
print(cursor.fetchall())
`;

  test.each(['broker', 'proxy'])("Apache Pinot's driver for Python queries a %s", async (what) => {
    const { hostname, port } = new URL(what === 'broker' ? broker : proxy);
    const { stdout } = await run(python, ['-c', script, hostname, port, oneOfEachType]);
    const types = {
      i: 'INT',
      l: 'LONG',
      d: 'DOUBLE',
      s: 'STRING',
      b: 'BOOLEAN',
      t: 'TIMESTAMP',
      n: 'BIG_DECIMAL',
    };
    const lines = stdout.trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual(Object.entries(types));
    expect(lines.slice(1)).toEqual([
      '[-2147483648, 9223372036854775807, 0.1, "MSFT", true, "2001-02-03 04:05:06.789000", "\\"12345678901234567.89\\""]',
      '[[["IBM"], ["IBM"]], [["IBM"], ["IBM"], ["IBM"]]]',
      '3',
      'True',
      '[[1]]',
    ]);
  });
});

/** The time grains of Superset 6.1.0 for Apache Pinot, as in its `db_engine_specs/pinot.py`. */
const grains = {
  '5 minutes': "CAST(ROUND(DATE_TRUNC('minute', CAST({col} AS TIMESTAMP)), 300000) AS TIMESTAMP)",
  '10 minutes': "CAST(ROUND(DATE_TRUNC('minute', CAST({col} AS TIMESTAMP)), 600000) AS TIMESTAMP)",
  '15 minutes': "CAST(ROUND(DATE_TRUNC('minute', CAST({col} AS TIMESTAMP)), 900000) AS TIMESTAMP)",
  '30 minutes': "CAST(ROUND(DATE_TRUNC('minute', CAST({col} AS TIMESTAMP)), 1800000) AS TIMESTAMP)",
  hour: "CAST(DATE_TRUNC('hour', CAST({col} AS TIMESTAMP)) AS TIMESTAMP)",
  week: "CAST(DATE_TRUNC('week', CAST({col} AS TIMESTAMP)) AS TIMESTAMP)",
  quarter: "CAST(DATE_TRUNC('quarter', CAST({col} AS TIMESTAMP)) AS TIMESTAMP)",
  'epoch milliseconds':
    "DATETIMECONVERT({col}, '1:MILLISECONDS:EPOCH', '1:MILLISECONDS:EPOCH', '1:MILLISECONDS')",
};

describeWithTool(pinotDriver, "SQLAlchemy with Apache Pinot's dialect", (python) => {
  const script = `
import json, sys
from sqlalchemy import column, create_engine, func, literal_column, select, table
from sqlalchemy.dialects import registry
registry.register('pinot', 'pinotdb.sqlalchemy', 'PinotDialect')
url, expressions = sys.argv[1], json.loads(sys.argv[2])
engine = create_engine(url, connect_args={'extra_request_headers': 'Authorization=Bearer superset-token'})
stocks = table('stocks', column('symbol'), column('price'), column('date'), schema='default')
with engine.connect() as connection:
    total = func.sum(literal_column('CAST(price AS BIGINT)')).label('total')
    grouped = select(stocks.c.symbol, total, func.count()).where(stocks.c.symbol == 'IBM').group_by(stocks.c.symbol).limit(10)
    print(json.dumps(connection.execute(grouped).fetchone()._asdict(), default=str))
    for col in ["TIMESTAMP '2001-02-03 04:44:55'", '981175495000']:
        columns = [literal_column(text.replace('{col}', col)) for text in expressions if 'CONVERT' not in text or col.isdigit()]
        print(json.dumps([str(value) for value in connection.execute(select(*columns).select_from(stocks).limit(1)).fetchone()]))
    for sql in ['SELECT count(*) FROM "default".stocks_OFFLINE', 'SELECT symbol FROM default.stocks LIMIT 2, 1 OPTION(timeoutMs=60000)']:
        print(connection.exec_driver_sql(sql).fetchone()[0])
`;

  test("SQLAlchemy with Apache Pinot's dialect groups, sums as numbers, and truncates times by the grains of Superset", async () => {
    const { hostname, port } = new URL(broker);
    const url = `pinot://${hostname}:${port}/query/sql?controller=${controller}`;
    const { stdout } = await run(python, [
      '-c',
      script,
      url,
      JSON.stringify(Object.values(grains)),
    ]);
    const [grouped = '', ...lines] = stdout.trimEnd().split('\n');
    expect(JSON.parse(grouped)).toEqual({ symbol: 'IBM', total: 11168, count_1: 123 });
    const truncated = ['04:40:00', '04:40:00', '04:30:00', '04:30:00', '04:00:00'].map(
      (time) => `2001-02-03 ${time}`,
    );
    const ends = [...truncated, '2001-01-29 00:00:00', '2001-01-01 00:00:00'];
    expect(lines.slice(0, 2).map((line) => JSON.parse(line) as unknown)).toEqual([
      ends,
      [...ends, '981175495000'],
    ]);
    expect(lines.slice(2)).toEqual(['560', 'MSFT']);
  });
});

describe('the calls that cursors of its client for Java make, from release 1.5 on', () => {
  const numbersOf = ({ resultTable }: PinotCursorResponse): readonly unknown[] =>
    (resultTable?.rows ?? []).map(([n]) => n);
  const range = (start: number, end: number): number[] =>
    Array.from({ length: end - start }, (_, index) => start + index);

  test.each(['broker', 'proxy'])(
    'page through a result of a %s in both directions, and to any page',
    async (what) => {
      const url = what === 'broker' ? broker : proxy;
      const cursor = await PinotCursor.open(
        url,
        'admin-token',
        'SELECT range AS n FROM range(35)',
        10,
      );
      const { page } = cursor;
      expect(page).toMatchObject({ exceptions: [], offset: 0, numRows: 10, numRowsResultSet: 35 });
      // A client that is configured with a proxy receives the address of the broker unchanged.
      expect(`http://${page.brokerHost}:${page.brokerPort}`).toBe(broker);
      expect(page.expirationTimeMs - page.submissionTimeMs).toBe(3_600_000);

      // Its first `next` requests the first page again, as it does with Apache Pinot.
      expect(numbersOf(await cursor.next())).toEqual(range(0, 10));
      expect(numbersOf(await cursor.next())).toEqual(range(10, 20));
      expect(numbersOf(await cursor.previous())).toEqual(range(10, 20));
      expect(numbersOf(await cursor.seekToPage(4))).toEqual(range(30, 35));
      expect([cursor.hasNext, cursor.hasPrevious]).toEqual([false, true]);
      expect(numbersOf(await cursor.seekToPage(1))).toEqual(range(0, 10));
      expect([cursor.hasNext, cursor.hasPrevious]).toEqual([true, false]);
      await expect(cursor.seekToPage(5)).rejects.toThrow('HTTP status 416');
      expect(await cursor.metadata()).toMatchObject({
        requestId: page.requestId,
        numRowsResultSet: 35,
        numRows: 35,
      });
      await cursor.delete();
      await expect(cursor.seekToPage(1)).rejects.toThrow('HTTP status 410');
    },
  );

  test('the calls that cursors of its client for Java make, from release 1.5 on are told of a query that fails by its exceptions, and there is no cursor', async () => {
    const { page } = await PinotCursor.open(proxy, 'admin-token', 'SELECT nothing FROM stocks', 10);
    expect(page.exceptions.map(({ errorCode }) => errorCode)).toEqual([710]);
    expect([page.resultTable, page.numRows, page.offset]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
