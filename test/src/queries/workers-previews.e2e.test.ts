import { readFile } from 'node:fs/promises';
import type { ControllerHealthResponse } from '@quire/api';
import type { PreviewResponse } from '@quire/tables';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type CliProcess,
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { isAlive } from '../testkit/worker-server.ts';

/** Previews may be large here, so that it is their process that is ended. */
const settings = `
controller.port = 0
proxy.port = 0
controller.preview.rows.maxMB = 1024
controller.preview.answer.maxMB = 1024
controller.preview.value.maxKB = 65536
controller.preview.timeout = 10m
engine.broker.shutdown.grace = 100ms
controller.preview.workers.memory.maxMB = 256
controller.preview.workers.kill.grace = 200ms
controller.preview.workers.idle.timeout = 1s
`;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: CliProcess;
let brokerUrl: string;
let controllerUrl: string;
let requestId: string;
let isRunning = false;

beforeAll(async () => {
  directory = await temporaryDirectory();
});
// The test that ends it leaves no server to the next one.
beforeEach(async () => {
  if (isRunning) return;
  const config = await writeSettings(directory.path, settings);
  ({ server, url: brokerUrl } = await startServer([
    '--roles',
    'broker,proxy,controller',
    '--config',
    config,
  ]));
  [, controllerUrl = ''] = await server.untilPrinted(/controller +(http:\S+)/);
  const answer = await call(`${brokerUrl}/query/sql?doPaginate=true&numRows=1`, {
    sql: 'SELECT * FROM range(1000) AS t(n)',
  });
  ({ requestId } = (await answer.json()) as { readonly requestId: string });
  isRunning = true;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

function call(url: string, body?: object, signal: AbortSignal | null = null): Promise<Response> {
  const headers = {
    authorization: `Bearer ${testVariables.TEST_ADMIN_TOKEN}`,
    'content-type': 'application/json',
  };
  return fetch(url, {
    headers,
    signal,
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
}

const preview = (body: object, signal?: AbortSignal): Promise<Response> =>
  call(`${controllerUrl}/tables/preview`, body, signal);

/** Many rows, each with many columns of ten thousand characters, created from a small request. */
function large(rowCount: number, columnCount: number): object {
  const names = Array.from({ length: columnCount }, (_, index) => `c${index}`);
  const transformConfigs = names.map((columnName) => ({
    columnName,
    transformFunction: "repeat('x', 10000)",
  }));
  return {
    schema: {
      schemaName: 'much',
      dimensionFieldSpecs: names.map((name) => ({ name, dataType: 'STRING', maxLength: 10_000 })),
    },
    tableConfig: { tableName: 'much', ingestionConfig: { transformConfigs } },
    sourceRows: Array.from({ length: rowCount }, (_, id) => ({ fieldToValueMap: { id } })),
    config: { sampling: { max: rowCount } },
  };
}

/** Process ids of all workers. */
async function workerPids(): Promise<number[]> {
  const children = await readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

async function expectAPage(): Promise<void> {
  const answer = await call(`${brokerUrl}/query/${requestId}/results?offset=500&numRows=100`);
  expect([answer.status, ((await answer.json()) as { readonly numRows: number }).numRows]).toEqual([
    200, 100,
  ]);
}

// In the controller's own process these exhausted the heap, and all roles died with it.
test.each([
  [2000, 100],
  [1000, 500],
])(
  'a preview of %i rows of %i columns is ended for its memory, and nothing else is',
  async (rowCount, columnCount) => {
    const running = preview(large(rowCount, columnCount));
    await expectAPage();
    const answer = await running;
    expect([answer.status, await answer.json()]).toEqual([
      422,
      {
        code: 422,
        reason: 'QUERY_LIMIT_EXCEEDED',
        error:
          'The preview exceeded its memory limit of 256 MB (controller.preview.workers.memory.maxMB) and was terminated.',
      },
    ]);
    await expectAPage();
    const small = (await (
      await preview({ sourceRows: [{ fieldToValueMap: { a: 1 } }] })
    ).json()) as PreviewResponse;
    expect(small.rows).toMatchObject([{ fieldToValueMap: { a: 1 } }]);
    const { workers } = (await (
      await call(`${controllerUrl}/health`)
    ).json()) as ControllerHealthResponse;
    expect(workers?.killedCount).toBeGreaterThan(0);
    expect(await (await call(`${controllerUrl}/metrics`)).text()).toContain(
      'quire_controller_workers_killed_total{reason="memory"}',
    );
  },
);

/** Occupies its process for many seconds. */
const spinning = {
  sourceRows: [{ fieldToValueMap: { a: 'x'.repeat(1000) } }],
  tableConfig: {
    tableName: 't',
    ingestionConfig: {
      transformConfigs: Array.from({ length: 20_000 }, (_, index) => ({
        columnName: `c${index}`,
        transformFunction: "regexpExtract(a, '(x+x+)+y', 0)",
      })),
    },
  },
};

test('without previews there is no process for them', async () => {
  await preview({});
  const [queryWorker] = await workerPids();
  await expect.poll(workerPids).toEqual([queryWorker]);
});

test('a preview whose caller has gone is ended, whatever it does', async () => {
  const caller = new AbortController();
  const running = preview(spinning, caller.signal).catch((error: unknown) => (error as Error).name);
  await expect.poll(workerPids).toHaveLength(2);
  const [queryWorker] = await workerPids();
  caller.abort();
  expect(await running).toBe('AbortError');
  await expect.poll(workerPids).toEqual([queryWorker]);
  await expectAPage();
});

test('a server that is told to stop ends in time though a preview does not, and no process stays', async () => {
  const running = preview(spinning).catch(() => undefined);
  await expect.poll(workerPids).toHaveLength(2);
  const pids = await workerPids();
  isRunning = false;
  server.signal('SIGTERM');
  expect(await server.ended()).toMatchObject({ exitCode: 0 });
  await running;
  expect(pids.filter(isAlive)).toEqual([]);
});
