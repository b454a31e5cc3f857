import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  failureOf,
  firstTicket,
  FlightTestClient,
  requestIdOf,
  statementOf,
} from '../testkit/flight-test-client.ts';
import { runJava } from '../testkit/java-program.ts';
import { describeWithTool, flightJdbc, flightPython, pinotServer } from '../testkit/toolchain.ts';
import { everythingConfig, everythingRows, everythingSchema } from './everything.ts';
import { loadTable, sharedCluster } from './pinot-cluster.ts';
import { type QuireOnPinot, startOnPinot } from './quire-on-pinot.ts';

const run = promisify(execFile);
const all = 'SELECT * FROM flight_types ORDER BY row_number';
/** Statements that the cluster plans in one way or the other, with the types of their answers. */
const statements = [
  all,
  'SELECT one_string, count(*), max(one_timestamp) FROM flight_types GROUP BY one_string LIMIT 7',
  'SELECT one_int + 1, one_double / 3, upper(one_string), CAST(one_int AS LONG) FROM flight_types',
  // Its single-stage engine refuses this with LIMIT 0.
  'SELECT DISTINCT one_int, one_boolean FROM flight_types',
  'SELECT one_int FROM flight_types WHERE row_number > 100',
];

/** Drivers of Arrow Flight SQL in front of a Quire whose engine is a real Apache Pinot. */
describeWithTool(pinotServer, 'Arrow Flight SQL on Apache Pinot', () => {
  let quire: QuireOnPinot;
  let client: FlightTestClient;

  beforeAll(async () => {
    const schema = { ...everythingSchema, schemaName: 'flight_types' };
    await loadTable(sharedCluster(), schema, [everythingRows], everythingConfig);
    quire = await startOnPinot({ 'engine.broker.flight.port': '0' });
    client = new FlightTestClient(quire.flightUrl, { authorization: 'Bearer ann-token' });
  });

  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await quire[Symbol.asyncDispose]();
  });

  test('tables of the cluster are in its metadata, and their columns with the types of answers', async () => {
    const tables = await client.metadata('CommandGetTables', {
      tablePattern: 'flight\\_%',
      includeSchema: true,
    });
    expect(tables.toArray().map((row) => row.toJSON())).toMatchObject([
      {
        catalog_name: 'quire',
        db_schema_name: 'main',
        table_name: 'flight_types',
        table_type: 'TABLE',
      },
    ]);
    const message = tables.getChild('table_schema')?.get(0) as Uint8Array;
    const info = await client.run(all);
    expect(tableFromIPC([message]).schema).toEqual(tableFromIPC([info.schema]).schema);
    const schemas = await client.metadata('CommandGetDbSchemas');
    expect(schemas.getChild('db_schema_name')?.toJSON()).toEqual(['main']);
    const types = await client.metadata('CommandGetXdbcTypeInfo');
    expect(types.getChild('type_name')?.toJSON()).toContain('BIG_DECIMAL');
    const listed = JSON.parse(await quire.send('/tables')) as { readonly tables: string[] };
    expect(listed.tables).toContain('flight_types');
  });

  test.each(statements)(
    'a statement has the same schema before it runs, prepared, and in its rows: %s',
    async (sql) => {
      const before = await client.schema(statementOf(sql));
      const { run: prepared, datasetSchema } = await client.prepare(sql);
      const info = await client.info(prepared);
      const { table } = await client.read(firstTicket(info));
      const [first, ...others] = [before, datasetSchema, info.schema].map(
        (message) => tableFromIPC([message]).schema,
      );
      expect(others).toEqual([first, first]);
      expect(table.schema).toEqual(first);
      const page = JSON.parse(
        await quire.send(`/query/${requestIdOf(info)}/results?offset=0&numRows=10`),
      ) as { readonly numRowsResultSet: number };
      expect(table.numRows).toBe(page.numRowsResultSet);
    },
  );

  test('a statement that cannot run says why, and parameters that the cluster cannot bind', async () => {
    const failures = await Promise.all(
      [
        'SELECT * FROM flight_nowhere',
        'SELECT nothing FROM flight_types',
        'SELECT FROM WHERE',
        'DROP TABLE flight_types',
        'SELECT one_int FROM flight_types WHERE one_int = ?',
      ].map(async (sql) => {
        const prepared = await failureOf(client.prepare(sql));
        const described = await failureOf(client.schema(statementOf(sql)));
        return [prepared.reason, described.reason];
      }),
    );
    expect(failures).toEqual([
      ['TABLE_NOT_FOUND', 'TABLE_NOT_FOUND'],
      ['COLUMN_NOT_FOUND', 'COLUMN_NOT_FOUND'],
      ['QUERY_SYNTAX', 'QUERY_SYNTAX'],
      ['QUERY_INVALID', 'QUERY_INVALID'],
      ['QUERY_INVALID', 'QUERY_SYNTAX'],
    ]);
    const unbound = await failureOf(client.prepare('SELECT 1 FROM flight_types WHERE one_int = ?'));
    expect(unbound.message).toContain('binds no parameters: write the values into the SQL');
  });

  describeWithTool(flightPython, 'ADBC', (python) => {
    test('ADBC reads every type of the cluster as HTTP gives it', async () => {
      const program = `
import json, urllib.request, pyarrow as pa, pyarrow.ipc
import adbc_driver_flightsql.dbapi as adbc
sql = ${JSON.stringify(all)}
with adbc.connect(${JSON.stringify(quire.flightUrl)}, db_kwargs={'username': 'ann', 'password': 'ann-token'}, autocommit=True) as c:
    columns = c.adbc_get_table_schema('flight_types')
    with c.cursor() as cursor:
        cursor.execute(sql)
        flight = cursor.fetch_arrow_table()
        parameters = ''
        try: cursor.execute('SELECT one_int FROM flight_types WHERE one_int = ?', (1,))
        except Exception as error: parameters = str(error)
request = urllib.request.Request(${JSON.stringify(quire.brokerUrl)} + '/query/sql?doPaginate=true&format=arrow', json.dumps({'sql': sql}).encode(),
  {'authorization': 'Bearer ann-token', 'content-type': 'application/json'})
http = pa.ipc.open_stream(urllib.request.urlopen(request).read()).read_all()
print(json.dumps([flight.num_rows, flight.num_columns, flight.equals(http), flight.schema.equals(http.schema, True),
  columns.equals(http.schema), 'binds no parameters' in parameters]))`;
      const { stdout } = await run(python, ['-c', program]);
      expect(JSON.parse(stdout)).toEqual([3, 19, true, true, true, true]);
    });
  });

  describeWithTool(flightJdbc, 'the JDBC driver', (jars) => {
    test('the JDBC driver finds the table and its columns, and reads rows of the cluster', async () => {
      const program = join(import.meta.dirname, '../../flight-jdbc/FlightJdbcTable.java');
      const columns = 'one_int, one_long, one_double, one_timestamp, one_big_decimal, list_int';
      const lines = await runJava(join(jars, '*'), program, [
        new URL(quire.flightUrl).host,
        'ann',
        'ann-token',
        'flight_types',
        `SELECT ${columns} FROM flight_types ORDER BY row_number LIMIT 1`,
        'SELECT one_int FROM flight_types WHERE one_int = ?',
      ]);
      expect(lines).toEqual([
        'table main.flight_types',
        expect.stringMatching(/^columns \[.*one_int:INTEGER, .*one_timestamp:TIMESTAMP, /),
        'functions ABS, CEIL, EXP, FLOOR, LN, LOG10, MOD, POWER, SIGN, SQRT',
        'row [one_int=2147483647, one_long=9223372036854775807, one_double=0.1, one_timestamp=2026-01-01 00:00:00.123, ' +
          'one_big_decimal=12345678901234567890.123456789, list_int=[1,-2147483648]]',
        'failed: Apache Pinot binds no parameters: write the values into the SQL as literals.',
      ]);
    });
  });
});
