import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isQuireError } from '@quire/core';
import { PinotEngine, PinotTableEngine } from '@quire/engine-pinot';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../scripts/free-port.ts';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { engineOptions, loadTable, openEngine, sharedCluster } from './pinot-cluster.ts';
import { until } from '../testkit/until.ts';

const limits = { timeoutMs: 60_000 };
/** One row, which takes half a minute. */
const slow = 'SELECT sleep(n + 30000) FROM few WHERE n = 1';

async function countRows(engine: PinotEngine, sql: string): Promise<number> {
  await using execution = await engine.execute({ sql }, { limits });
  let rowCount = 0;
  for await (const batch of execution.batches) rowCount += batch.numRows;
  return rowCount;
}

/** The queries that run in the broker. */
async function runningQueries(): Promise<string> {
  const { brokerUrl, authorization } = sharedCluster();
  return (await fetch(`${brokerUrl}/queries`, { headers: { authorization } })).text();
}

/**
 * Serves the answers of a real Apache Pinot 0.11.0 (test/pinot-0.11/record.sh) at one address;
 * records the requests.
 */
async function releaseEleven(asked: string[]): ReturnType<typeof answering> {
  const file = await readFile(join(import.meta.dirname, '../../pinot-0.11/answers.json'), 'utf8');
  const answers = JSON.parse(file) as readonly {
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly body: string;
  }[];
  return serving((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const { status, body } = answers.find(
      ({ method, path }) => method === request.method && path === request.url,
    ) ?? {
      status: 404,
      body: '',
    };
    response.writeHead(status).end(body);
  });
}

/** A server with one answer for everything. */
function answering(
  status: number,
  body: string,
): Promise<AsyncDisposable & { readonly url: string }> {
  return serving((_request, response) => response.writeHead(status).end(body));
}

async function serving(
  listener: RequestListener,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

describeWithTool(pinotServer, 'Apache Pinot in trouble', () => {
  beforeAll(async () => {
    const schema = { schemaName: 'few', dimensionFieldSpecs: [{ name: 'n', dataType: 'INT' }] };
    await loadTable(sharedCluster(), schema, [[{ n: 1 }, { n: 2 }]]);
  });

  test('a broker and a controller that are gone cost nothing while others are there', async () => {
    const { brokerUrl, controllerUrl } = sharedCluster();
    const gone = `http://127.0.0.1:${await freePort()}`;
    await using engine = openEngine({
      brokers: [gone, brokerUrl],
      controllerUrls: [gone, controllerUrl],
    });
    for (let round = 0; round < 4; round += 1) {
      expect(await countRows(engine, 'SELECT n FROM few')).toBe(2);
    }
  });

  test('a sentence says when all of Apache Pinot is gone, or one server breaks off', async () => {
    const gone = `http://127.0.0.1:${await freePort()}`;
    await using lost = openEngine({ brokers: [gone] });
    await expect(countRows(lost, 'SELECT n FROM few')).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      exceptionNumber: 427,
      message: 'Apache Pinot does not answer: ECONNREFUSED.',
      cause: expect.objectContaining({ message: expect.stringContaining(gone) }),
    });
    await using alone = openEngine({ controllerUrls: [gone] });
    await expect(countRows(alone, 'SELECT n FROM few')).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
    });
    const half =
      '{"resultTable":{"dataSchema":{"columnNames":["n"],"columnDataTypes":["INT"]},"rows":[[1],[2]';
    await using broken = await answering(200, half);
    await using cut = openEngine({ brokers: [broken.url] });
    await expect(countRows(cut, 'SELECT n FROM few')).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
    });
  });

  test('a query that is given up ends in the broker as well', async () => {
    await using engine = openEngine();
    const giving = new AbortController();
    const outcome = engine.execute({ sql: slow }, { limits, signal: giving.signal }).then(
      () => undefined,
      (error: unknown) => error,
    );
    await until(async () => (await runningQueries()).includes('sleep'), 'the query runs');
    giving.abort();
    expect(isQuireError(await outcome, 'ABORTED')).toBe(true);
    await engine.settled();
    await expect.poll(async () => !(await runningQueries()).includes('sleep')).toBe(true);
  });

  test('a query that takes too long fails with its limit', async () => {
    await using engine = openEngine();
    await expect(
      engine.execute({ sql: 'SELECT n FROM few' }, { limits: { timeoutMs: 1 } }),
    ).rejects.toMatchObject({
      code: 'QUERY_TIMED_OUT',
      message: expect.stringContaining(' 1 ms'),
    });
  });

  test('a release that is too old, and a stranger, are told of in a sentence', async () => {
    const asked: string[] = [];
    await using old = await releaseEleven(asked);
    const engine = new PinotEngine(engineOptions(sharedCluster(), { controllerUrls: [old.url] }));
    const tables = new PinotTableEngine(
      engineOptions(sharedCluster(), { controllerUrls: [old.url] }),
    );
    const refusal = {
      code: 'UNSUPPORTED',
      message: 'The Apache Pinot cluster has release 0.11.0; 1.0 is the oldest supported release.',
    };
    await expect(countRows(engine, 'SELECT n FROM few')).rejects.toMatchObject(refusal);
    await expect(tables.listTables()).rejects.toMatchObject(refusal);
    expect(new Set(asked)).toEqual(new Set(['GET /version']));
    await using other = await answering(200, '<html>');
    await using stranger = openEngine({ controllerUrls: [other.url] });
    await expect(countRows(stranger, 'SELECT n FROM few')).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
      message:
        'The configured controller does not answer as one of Apache Pinot: /version returned HTTP 200.',
      adminHint: `The address is ${other.url}; check engine.pinot.controller.url.`,
    });
    await engine[Symbol.asyncDispose]();
    await tables[Symbol.asyncDispose]();
  });

  test('changes, parameters and options that cannot be are refused before anything is sent', async () => {
    await using engine = openEngine();
    const insertion = { sql: "INSERT INTO few FROM FILE 'file:///tmp/rows'" };
    await expect(engine.execute(insertion, { limits })).rejects.toMatchObject({
      code: 'QUERY_INVALID',
    });
    const parameters = [{ type: 'INT', value: 1 }] as const;
    await expect(engine.execute({ sql: 'SELECT ?', parameters }, { limits })).rejects.toMatchObject(
      { code: 'QUERY_INVALID' },
    );
    const options = { useMultistageEngine: 'true;timeoutMs=999999' };
    await expect(
      engine.execute({ sql: 'SELECT n FROM few', options }, { limits }),
    ).rejects.toMatchObject({
      code: 'QUERY_INVALID',
    });
  });
});
