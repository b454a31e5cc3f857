import { systemClock } from '@quire/core';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { type Result, ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import { type Comparison, quire, runComparison } from '../measure/comparison.ts';
import { type Contender, repeated, type Rounds } from '../measure/interleave.ts';
import { argumentOfParent, serveParent } from '../process/serve-parent.ts';

export interface EncodeOptions {
  readonly path: string;
  readonly spillDirectory: string;
  readonly rounds: Rounds;
}

const gibibyte = 1024 ** 3;
const { path, spillDirectory, rounds } = argumentOfParent() as EncodeOptions;
const engine = await DuckDbEngine.open({
  tables: [{ name: 'mixed', path, format: 'auto' }],
  memoryMaxBytes: gibibyte,
  threads: 1,
  spillDirectory,
  spillMaxBytes: 0,
  clock: systemClock,
});
// The cache holds all batches: the measurement starts at verified Arrow bytes.
const results = new ResultStore({
  store: new MemoryObjectStore({ sizeMaxBytes: gibibyte }),
  brokerId: 'bench',
  expirationMs: 3_600_000,
  expirationMaxMs: 3_600_000,
  cacheBytesMax: 8 * gibibyte,
});

serveParent(
  async (what) =>
    runComparison(what === 'table' ? await compareTable() : await compareColumns(), rounds),
  async () => {
    await engine[Symbol.asyncDispose]();
    await results[Symbol.asyncDispose]();
  },
);

async function compareTable(): Promise<Comparison> {
  return {
    id: 'encode-table',
    title: 'JSON of rows of 10 mixed columns, in bytes of output',
    unit: 'MB/s',
    factor: 'rows',
    comparesLevels: false,
    entries: await entriesOf('mixed', 'SELECT * FROM mixed'),
  };
}

async function compareColumns(): Promise<Comparison> {
  const kinds: readonly [kind: string, sql: string][] = [
    ['int', 'id'],
    ['int, with nulls', 'CASE WHEN id % 10 = 0 THEN NULL ELSE id END'],
    ['long', 'account'],
    ['short text', 'region'],
    ['longer text, with nulls', 'note'],
    ['double', 'score'],
    ['double, of 2 digits', 'round(score, 2)'],
    ['float', 'rate'],
    ['decimal, with nulls', 'amount'],
    ['timestamp', 'created'],
    ['date', 'due'],
    ['boolean', 'paid'],
    ['list of int', '[id, id + 1, id + 2]'],
  ];
  const entries = [];
  for (const [kind, sql] of kinds) {
    entries.push(...(await entriesOf(kind, `SELECT ${sql} AS c FROM mixed`)));
  }
  return {
    id: 'encode-column',
    title: 'JSON of rows of one column',
    unit: 'MB/s',
    factor: 'column',
    comparesLevels: false,
    entries,
  };
}

async function entriesOf(level: string, sql: string): Promise<Comparison['entries']> {
  const execution = await engine.execute({ sql }, { limits: { timeoutMs: 600_000 } });
  const result = await results.create(execution, { owner: 'bench' });
  const bytes = Buffer.concat(await chunksOf(result));
  const rows = JSON.parse(bytes.toString()) as unknown[];
  const target = Buffer.alloc(bytes.length);
  const contenders: Readonly<Record<string, () => Promise<unknown>>> = {
    [quire]: () => drain(result),
    'JSON.stringify': () => Promise.resolve(JSON.stringify(rows)),
    ...(level === 'mixed' && {
      'JSON.stringify to bytes': () => Promise.resolve(Buffer.from(JSON.stringify(rows))),
      async memcpy() {
        target.set(bytes);
      },
    }),
  };
  return Object.entries(contenders).map(([name, run]) => ({
    level,
    name,
    contender: rateOf(bytes.length, run),
  }));
}

/** The bytes of Quire's page count for all contenders, since they encode the same page. */
function rateOf(sizeBytes: number, run: () => Promise<unknown>): Contender {
  return repeated(async () => {
    const startMs = performance.now();
    await run();
    return sizeBytes / 1000 / (performance.now() - startMs);
  });
}

async function drain(result: Result): Promise<number> {
  let sizeBytes = 0;
  const page = result.page({ offset: 0, rowCount: result.entry.rowCount });
  for await (const chunk of page.encode('json')) sizeBytes += chunk.byteLength;
  return sizeBytes;
}

async function chunksOf(result: Result): Promise<Uint8Array[]> {
  const page = result.page({ offset: 0, rowCount: result.entry.rowCount });
  return Array.fromAsync(page.encode('json'));
}
