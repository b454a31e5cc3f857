import type { CursorResponse, ErrorBody } from '@quire/api';
import { QuireClient } from '@quire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type CliProcess,
  quireHere,
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';

const token = testVariables.TEST_ADMIN_TOKEN;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: CliProcess;
let url: string;
let client: QuireClient;

beforeAll(async () => {
  directory = await temporaryDirectory();
  ({ server, url } = await startServer(['--config', await writeSettings(directory.path)]));
  client = new QuireClient({ baseUrl: url, token });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function post(body: unknown): Promise<CursorResponse & ErrorBody> {
  const response = await fetch(`${url}/query/sql?doPaginate=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as CursorResponse & ErrorBody;
}

test('values come back as they were given to the client, each with its own type', async () => {
  const parameters = {
    nothing: null,
    yes: true,
    int: -7,
    long: 9_223_372_036_854_775_807n,
    huge: -(10n ** 30n),
    double: 0.1,
    large: 1e300,
    nan: Number.NaN,
    text: `'; DROP TABLE t; -- "$int"`,
    time: new Date('2024-02-29T23:59:59.123Z'),
    bytes: Uint8Array.of(0, 255),
    day: { type: 'DATE', value: '2024-02-29' },
  } as const;
  const names = Object.keys(parameters);
  await using cursor = await client.query(`SELECT ${names.map((name) => `$${name}`).join(', ')}`, {
    parameters,
  });

  expect(
    cursor.columns.map(({ dataType }, index) => [
      names[index],
      dataType,
      cursor.page.rows[0]?.[index],
    ]),
  ).toEqual([
    ['nothing', 'INT', null],
    ['yes', 'BOOLEAN', true],
    ['int', 'INT', -7],
    ['long', 'LONG', 9_223_372_036_854_775_807n],
    ['huge', 'BIG_DECIMAL', '-1000000000000000000000000000000'],
    ['double', 'DOUBLE', 0.1],
    ['large', 'DOUBLE', 1e300],
    ['nan', 'DOUBLE', Number.NaN],
    ['text', 'STRING', `'; DROP TABLE t; -- "$int"`],
    ['time', 'TIMESTAMP', '2024-02-29 23:59:59.123'],
    ['bytes', 'BYTES', '00ff'],
    ['day', 'STRING', '2024-02-29'],
  ]);
});

test('plain JSON is enough, by position', async () => {
  const { resultTable } = await post({
    sql: 'SELECT i FROM range(?) AS t(i) WHERE i >= ?',
    parameters: [12, 10],
  });
  expect(resultTable.rows).toEqual([[10], [11]]);
});

test('a value that does not fit its type is refused before the query runs, a value without a parameter by the query', async () => {
  expect(
    await post({ sql: 'SELECT $d', parameters: { d: { type: 'DATE', value: 'today' } } }),
  ).toEqual({
    code: 400,
    reason: 'INVALID_BODY',
    error: `Parameter d of type DATE is "today"; expected a day of the years 1 to 9999, such as '2024-02-29'.`,
  });
  expect((await post({ sql: 'SELECT ?', parameters: [1, 2] })).exceptions).toEqual([
    { errorCode: 700, message: 'The query has 1 parameter, but was given 2 values.' },
  ]);
});

test('quire query takes them from the command line', async () => {
  const sql = 'SELECT i, $name FROM range($n) AS t(i)';
  expect(
    await quireHere([
      'query',
      '--url',
      url,
      '--token',
      token,
      '--param',
      'n=2',
      '--param',
      "name=O'Hare",
      sql,
    ]),
  ).toEqual({
    exitCode: 0,
    stdout: "0\tO'Hare\n1\tO'Hare\n",
    stderr: '',
  });
});

test('a value that has no form on the wire is refused by the client', async () => {
  for (const value of [10n ** 38n, new Date(Number.NaN), undefined as never]) {
    await expect(client.query('SELECT ?', { parameters: [value] })).rejects.toMatchObject({
      code: 'INVALID_PARAMETER',
    });
  }
});
