import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PinotCursor } from '../client/pinot-cursor.ts';
import { runJava } from '../testkit/java-program.ts';
import { describeWithTool, javaClient, pinotDriver, pinotServer } from '../testkit/toolchain.ts';
import { loadTable, sharedCluster } from './pinot-cluster.ts';
import { type QuireOnPinot, startOnPinot } from './quire-on-pinot.ts';

const run = promisify(execFile);
const sql = 'SELECT small, large, real, name, price, seen FROM offers ORDER BY small LIMIT 5';
const rows = Array.from({ length: 5 }, (_, index) => ({
  small: index,
  large: `${9_007_199_254_740_993n + BigInt(index)}`,
  real: 0.1,
  name: 'ab'.charAt(index % 2),
  price: '12345678901234567.89',
  seen: 981_173_106_789,
}));

const script = `
import json, sys
from pinotdb import connect
from pinotdb.exceptions import DatabaseError

host, port, sql = sys.argv[1:]
options = {'host': host, 'port': int(port), 'extra_request_headers': 'Authorization=Bearer ann-token'}
cursor = connect(**options).cursor()
cursor.execute(sql)
print(json.dumps([column['type'] for column in cursor.schema]))
print(json.dumps(cursor.fetchone(), default=str), len(cursor.fetchall()))
cursor.execute('SELECT small FROM offers WHERE name = %(name)s ORDER BY small', {'name': 'b'})
print(json.dumps(cursor.fetchall()))
try:
    cursor.execute('SELECT nothing FROM offers')
except DatabaseError as error:
    print('710' in str(error))
`;

/**
 * Programs written for Apache Pinot, unchanged, that query Quire in front of a real Apache Pinot.
 */
describeWithTool(pinotServer, 'clients of Apache Pinot, in front of Quire on a cluster', () => {
  let quire: QuireOnPinot;

  beforeAll(async () => {
    const named = (dataType: string, ...names: readonly string[]) =>
      names.map((name) => ({ name, dataType }));
    const dimensionFieldSpecs = [
      ...named('INT', 'small'),
      ...named('LONG', 'large'),
      ...named('DOUBLE', 'real'),
      ...named('STRING', 'name'),
      ...named('BIG_DECIMAL', 'price'),
      ...named('TIMESTAMP', 'seen'),
    ];
    await loadTable(sharedCluster(), { schemaName: 'offers', dimensionFieldSpecs }, [rows]);
    quire = await startOnPinot();
  });

  afterAll(async () => quire[Symbol.asyncDispose]());

  describeWithTool(pinotDriver, 'the driver for Python', (python) => {
    test('the driver for Python reads types, rows, parameters and failures', async () => {
      const { hostname, port } = new URL(quire.brokerUrl);
      const { stdout } = await run(python, ['-c', script, hostname, port, sql]);
      expect(stdout.trimEnd().split('\n')).toEqual([
        '["INT", "LONG", "DOUBLE", "STRING", "BIG_DECIMAL", "TIMESTAMP"]',
        expect.stringMatching(
          /^\[0, 9007199254740993, 0\.1, "a", .*12345678901234567\.89.*, "2001-02-03 04:05:06\.789.*"\] 4$/,
        ),
        '[[1], [3]]',
        'True',
      ]);
    });
  });

  describeWithTool(javaClient, 'the client for Java', (jars) => {
    test('the client for Java reads types, rows and failures', async () => {
      const program = join(import.meta.dirname, '../../java-client/PinotQueries.java');
      const { host } = new URL(quire.brokerUrl);
      const queries = [sql.replace('LIMIT 5', 'LIMIT 1'), 'SELECT nothing FROM offers'];
      const lines = await runJava(join(jars, '*'), program, ['brokers', host, ...queries], {
        QUIRE_TOKEN: 'ann-token',
      });
      expect(lines).toEqual([
        'small INT\tlarge LONG\treal DOUBLE\tname STRING\tprice BIG_DECIMAL\tseen TIMESTAMP',
        '0\t9007199254740993\t0.1\ta\t12345678901234567.89\t2001-02-03 04:05:06.789',
        expect.stringMatching(/^failed: Query had processing exceptions: .*710.*nothing/),
      ]);
    });
  });

  test('cursors go forward, back and to any page', async () => {
    const cursor = await PinotCursor.open(quire.brokerUrl, 'ann-token', sql, 2);
    const smallOf = ({ resultTable }: typeof cursor.page): unknown =>
      (resultTable?.rows ?? []).map(([small]) => small);
    expect([smallOf(cursor.page), cursor.page.numRowsResultSet]).toEqual([[0, 1], 5]);
    expect(smallOf(await cursor.seekToPage(3))).toEqual([4]);
    expect(smallOf(await cursor.previous())).toEqual([2, 3]);
    await cursor.delete();
  });
});
