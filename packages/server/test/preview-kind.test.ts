import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@quire/core';
import { parseSettings, settingsError } from '@quire/settings';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiveSettings } from '../src/live-settings.ts';
import { previewsIn, workerKind } from '../src/tables/preview-kind.ts';
import { WorkerPool } from '../src/workers/worker-pool.ts';

const data = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');
const logger = pino({ level: 'silent' });

let directory: string;
let live: LiveSettings;
/** The same settings, with a time limit that work of a second exceeds on any machine. */
let hurried: LiveSettings;
let pool: Parameters<typeof previewsIn>[0];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-preview-pool-'));
  live = await openSettings('1m');
  hurried = await openSettings('100ms');
  pool = WorkerPool.open(workerKind, live.current, { clock: systemClock, logger });
});

afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await live[Symbol.asyncDispose]();
  await hurried[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

async function openSettings(timeout: string): Promise<LiveSettings> {
  const overrides = [
    `controller.preview.source.paths=${data}`,
    `controller.preview.timeout=${timeout}`,
    'controller.preview.workers.kill.grace=20ms',
  ];
  const request = { environment: {}, overrides, workingDir: directory };
  const outcome = parseSettings(request);
  if (!outcome.ok) throw settingsError(outcome.problems);
  return LiveSettings.open({ request, settings: outcome.settings, clock: systemClock, logger });
}

interface Answer {
  readonly sourceFiles: readonly string[];
  readonly sourceRows: readonly unknown[];
  readonly findings: ReadonlyArray<{ readonly code: string }>;
}

async function preview(
  body: string,
  { mayReadSources = false, settings = live } = {},
): Promise<Answer> {
  const answer = await previewsIn(pool, settings)({ body, mayReadSources }, {});
  return JSON.parse(Buffer.from(answer).toString()) as Answer;
}

test('files are read in the process of the preview, for those who may', async () => {
  const body = JSON.stringify({ sourceFiles: ['stocks.csv'], config: { sampling: { max: 3 } } });
  expect(await preview(body, { mayReadSources: true })).toMatchObject({
    sourceFiles: [join(data, 'stocks.csv')],
    sourceRows: [{}, {}, {}],
  });
  expect(await preview(body)).toMatchObject({
    sourceRows: [],
    findings: [{ code: 'SOURCE_NOT_ALLOWED' }],
  });
});

test('a body that is not an object is refused as it is without a pool', async () => {
  await expect(preview('[]')).rejects.toMatchObject({
    code: 'INVALID_BODY',
    message: 'The request body is not a JSON object.',
  });
  await expect(preview('{"a":')).rejects.toMatchObject({
    code: 'INVALID_BODY',
    message: 'The request body is not JSON.',
  });
});

/** A row of one value, and transforms of it that run in one go, for seconds. */
function spinning(): string {
  const transformConfigs = Array.from({ length: 20_000 }, (_, index) => ({
    columnName: `c${index}`,
    transformFunction: "regexpExtract(a, '(x+x+)+y', 0)",
  }));
  return JSON.stringify({
    sourceRows: [{ fieldToValueMap: { a: 'x'.repeat(1000) } }],
    tableConfig: { tableName: 't', ingestionConfig: { transformConfigs } },
  });
}

test('a preview whose time is over is killed when it does not stop, and the answer names the limit', async () => {
  await expect(preview(spinning(), { settings: hurried })).rejects.toMatchObject({
    code: 'QUERY_LIMIT_EXCEEDED',
    message:
      'The preview exceeded its time limit of 100 ms (controller.preview.timeout) and was terminated.',
  });
  expect(await preview('{}')).toMatchObject({ sourceRows: [] });
});
