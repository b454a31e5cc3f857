import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startQuire } from '@quire/server';
import { expect, test } from 'vitest';
import { ensureSite } from '../../../packages/console/scripts/build-site.ts';

const samples = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');

/** The times at which a tab is closed, from the head of its call to the answer. */
const phases = ['in its head', 'in its body', 'once it is sent', 'in its answer'] as const;

interface TabCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
}

const rows = 'SELECT n, n * 2 AS twice FROM range(400000) AS _(n)';
const json = (body: object): Pick<TabCall, 'method' | 'body' | 'type'> => ({
  method: 'POST',
  body: JSON.stringify(body),
  type: 'application/json',
});
const csv = `id,ts\n${Array.from({ length: 20_000 }, (_none, id) => `${id},${id}\n`).join('')}`;

/** The calls of the console's pages, those with long answers and long bodies among them. */
function callsOf(requestId: string): readonly TabCall[] {
  return [
    { method: 'GET', path: '/console/' },
    { method: 'GET', path: '/whoami' },
    { method: 'GET', path: '/tables' },
    { method: 'GET', path: '/tables/stocks/schema' },
    { method: 'GET', path: '/tables/loaded/size' },
    { method: 'GET', path: '/health' },
    { method: 'GET', path: '/cluster/results' },
    { method: 'GET', path: '/cluster/health' },
    { method: 'GET', path: '/cluster/sweep' },
    { method: 'GET', path: '/cluster/settings' },
    { method: 'GET', path: '/query/resultStore?own=true' },
    { method: 'GET', path: '/query/usage' },
    { method: 'GET', path: '/queries' },
    { method: 'GET', path: `/query/${requestId}` },
    { method: 'GET', path: `/query/${requestId}/results?offset=0&numRows=400000` },
    { method: 'GET', path: `/query/${requestId}/results?offset=0&numRows=400000&format=arrow` },
    { path: '/query/sql', ...json({ sql: rows }) },
    { path: '/query/sql?doPaginate=true', ...json({ sql: rows }) },
    { path: '/query/sql?doPaginate=true&async=true&format=arrow', ...json({ sql: rows }) },
    { path: '/tables/preview', ...json({ sourceRows: [{ fieldToValueMap: { a: 1 } }] }) },
    {
      method: 'POST',
      path: '/tables/previewFile?name=a.csv',
      body: csv,
      type: 'application/octet-stream',
    },
    {
      method: 'POST',
      path: `/ingestFromFile?tableNameWithType=loaded_OFFLINE&batchConfigMapStr=${encodeURIComponent('{"inputFormat":"csv"}')}`,
      body: csv,
      type: 'application/octet-stream',
    },
  ];
}

/** Makes a call, and closes its connection as a closed tab does. */
async function callAndClose(
  url: string,
  call: TabCall,
  phase: (typeof phases)[number],
): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined); // it is closed while the other side writes
  await once(socket, 'connect');
  const { method, path, body = '', type = 'text/plain' } = call;
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer quickstart-admin\r\n`;
  const rest = `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const written =
    phase === 'in its head'
      ? head
      : phase === 'in its body'
        ? head + rest + body.slice(0, body.length / 2)
        : head + rest + body;
  const isWritten = new Promise((resolve) => socket.write(written, resolve));
  if (phase === 'in its answer') await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  else await isWritten;
  const closed = once(socket, 'close');
  // A tab's connections are reset if bytes for the tab were unread, and ended otherwise.
  if (phase === 'in its answer') socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

test('closing a tab at any moment of any call leaves no warning, error or stack in the log', async () => {
  await ensureSite(() => undefined);
  const home = await mkdtemp(join(tmpdir(), 'quire-closed-tab-'));
  const lines: string[] = [];
  const file = join(home, 'test.properties');
  const settings = {
    'engine.broker.client.queryPort': '0',
    'controller.port': '0',
    'engine.broker.pagination.protocol': 'file',
    'engine.broker.pagination.file.data.dir': join(home, 'results'),
    'engine.broker.pagination.temp.dir': join(home, 'temp'),
    'engine.tables.data.dir': join(home, 'tables'),
    'engine.auth.principal.admin.role': 'admin',
    'engine.auth.principal.admin.token.sha256':
      'a2cd52efc39c534198023f401b2bd3f24404d58964ec81aedfb001810a4b8893',
    'engine.table.stocks.path': join(samples, 'stocks.csv'),
    // Processes that do not stop in time are killed: none stops in so short a time.
    'engine.broker.workers.kill.grace': '10ms',
    'controller.preview.workers.kill.grace': '10ms',
  };
  await writeFile(
    file,
    Object.entries(settings)
      .map(([key, value]) => `${key} = ${value}\n`)
      .join(''),
  );
  const quire = await startQuire({
    file,
    roles: ['server', 'broker', 'controller'],
    log: (line) => lines.push(line),
  });
  const url = String(quire.addresses.controller?.url);
  const send = async (path: string, body: object): Promise<{ readonly requestId?: string }> => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: 'Bearer quickstart-admin',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as { readonly requestId?: string };
  };
  const long = (name: string): object => ({ name, dataType: 'LONG' });
  await send('/tableConfigs', {
    tableName: 'loaded',
    schema: { schemaName: 'loaded', dimensionFieldSpecs: [long('id'), long('ts')] },
    offline: { tableName: 'loaded', tableType: 'OFFLINE', segmentsConfig: {} },
  });
  const { requestId = '' } = await send('/query/sql?doPaginate=true&numRows=1', { sql: rows });
  const calls = callsOf(requestId);
  for (const phase of phases) {
    for (const call of calls) await callAndClose(url, call, phase);
  }
  // It still answers, and exits only once all work of the calls has ended.
  await send('/query/sql', { sql: 'SELECT 1' });
  await quire.close();
  await rm(home, { recursive: true, force: true });

  const records = lines.map((line) => JSON.parse(line) as { readonly level: number });
  expect(records.length).toBeGreaterThan(calls.length);
  // From 40 on: warnings and errors.
  expect(records.filter(({ level }) => level >= 40)).toEqual([]);
  expect(lines.filter((line) => line.includes('"stack"'))).toEqual([]);
});
