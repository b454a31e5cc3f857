import { join } from 'node:path';
import { MiB, systemClock, systemRandom } from '@quire/core';
import type { LiveTables } from '@quire/core/table-engine';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { openStream } from '@quire/streams';
import { EmbeddedTableEngine } from '@quire/table-server';
import {
  DirectoryTables,
  type SharedVerification,
  VerificationHost,
} from '@quire/table-server/queries';
import { seededRandom } from '../measure/seeded-random.ts';
import { argumentOfParent, serveParent } from '../process/serve-parent.ts';

export interface TablesOptions {
  readonly rowCount: number;
  readonly segmentCount: number;
  readonly directory: string;
}

/**
 * The knowledge about the files of the table before its first query: nothing; the findings of
 * another process; all of it, unread.
 */
export type Knowledge = 'nothing' | 'shared' | 'trusted';

export type TablesRequest =
  | { readonly kind: 'size' }
  | { readonly kind: 'ask'; readonly sql: string; readonly knowledge: Knowledge };

export interface TablesAnswer {
  /** Milliseconds of a query, or bytes of the table. */
  readonly figure: number;
}

const { rowCount, segmentCount, directory } = argumentOfParent() as TablesOptions;
const dataDirectory = join(directory, 'tables');
const engine = await EmbeddedTableEngine.open({
  dataDirectory,
  clock: systemClock,
  random: systemRandom,
  tenants: ['DefaultTenant'],
  host: 'localhost',
  finder: undefined,
  rowBytesMax: MiB,
  graceMs: 60_000,
  openStream: (config) => openStream(config, { fileDirectory: directory, clock: systemClock }),
});
await engine.createSchema({
  schemaName: 'texts',
  dimensionFieldSpecs: [{ name: 'text', dataType: 'STRING' }],
  metricFieldSpecs: [{ name: 'n', dataType: 'LONG' }],
});
await engine.createTable({
  tableName: 'texts',
  tableType: 'OFFLINE',
  segmentsConfig: { replication: '1' },
});
for (let segment = 0; segment < segmentCount; segment += 1) {
  const source = { kind: 'bytes', name: 'rows.jsonl', body: rowsOf(segment) } as const;
  await engine.ingest({
    tableNameWithType: 'texts_OFFLINE',
    source,
    batchConfig: { inputFormat: 'json' },
  });
}
/** The shared knowledge of all processes of a broker. */
const shared = new VerificationHost();
await new DirectoryTables(dataDirectory, { shared }).verify(
  await new DirectoryTables(dataDirectory).resolve(['texts']),
);

serveParent(
  async (request): Promise<TablesAnswer> => ({ figure: await answer(request as TablesRequest) }),
  () => engine[Symbol.asyncDispose](),
);

async function* rowsOf(segment: number): AsyncGenerator<Uint8Array> {
  const random = seededRandom(segment);
  for (let row = 0; row < rowCount; row += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, rowCount - row) }, (_, index) => {
      const text = Array.from({ length: 24 }, () => random().toString(36).slice(2, 12)).join('');
      return JSON.stringify({ text, n: row + index });
    });
    yield Buffer.from(`${lines.join('\n')}\n`);
  }
}

async function answer(request: TablesRequest): Promise<number> {
  if (request.kind === 'size') {
    const segments = await engine.listSegments('texts_OFFLINE');
    return segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
  await using queries = await DuckDbEngine.open({
    tables: [],
    memoryMaxBytes: 1_024 * MiB,
    threads: 2,
    spillDirectory: join(directory, 'spill'),
    spillMaxBytes: 0,
    clock: systemClock,
    liveDirectory: dataDirectory,
    liveTables: tablesWith(request.knowledge),
  });
  const startMs = performance.now();
  await using execution = await queries.execute(
    { sql: request.sql },
    { limits: { timeoutMs: 60_000 } },
  );
  await Array.fromAsync(execution.batches);
  return performance.now() - startMs;
}

function tablesWith(knowledge: Knowledge): LiveTables {
  const known: Partial<Record<Knowledge, SharedVerification>> = { shared };
  const tables = new DirectoryTables(dataDirectory, { shared: known[knowledge] });
  if (knowledge !== 'trusted') return tables;
  return {
    listNames: () => tables.listNames(),
    resolve: (names) => tables.resolve(names),
    verify: async () => undefined,
  };
}
