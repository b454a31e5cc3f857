import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isQuireError, systemClock } from '@quire/core';
import type { TableConfigDocument } from '@quire/core/table-engine';
import type { DuckDbEngine } from '@quire/engine-duckdb';
import { FileProducer } from '@quire/streams';
import type { EmbeddedTableEngine } from '@quire/table-server';
import {
  createFileFinder,
  type PreviewResponse,
  previewTable,
  type SourceValue,
} from '@quire/tables';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbeddedTables, openTableQueries } from '../testkit/embedded-tables.ts';
import { until } from '../testkit/until.ts';

/** QUIRE_PREVIEW_RUNS for longer trials. */
const numRuns = Number(process.env['QUIRE_PREVIEW_RUNS'] ?? 30);

let home: string;
let engine: EmbeddedTableEngine;
let queries: DuckDbEngine;
let tableCount = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-promise-'));
  const dataDirectory = join(home, 'tables');
  engine = await openEmbeddedTables({
    dataDirectory,
    streamDirectory: join(home, 'streams'),
    finder: createFileFinder({ paths: [home] }),
    graceMs: 600_000,
  });
  queries = await openTableQueries(dataDirectory, join(home, 'spill'));
});

afterAll(async () => {
  await queries[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  await rm(home, { recursive: true, maxRetries: 10 });
});

/**
 * Columns of each type, and how a query writes their values as text that the preview's can be
 * compared with.
 */
const columns = {
  id: { dataType: 'INT', sql: 'CAST(id AS VARCHAR)' },
  text: { dataType: 'STRING', sql: 'text' },
  loud: { dataType: 'STRING', sql: 'loud' },
  count: { dataType: 'LONG', sql: 'CAST("count" AS VARCHAR)' },
  price: { dataType: 'BIG_DECIMAL', sql: 'CAST(price AS VARCHAR)' },
  flag: { dataType: 'BOOLEAN', sql: 'CAST(flag AS VARCHAR)' },
  document: { dataType: 'JSON', sql: 'CAST(document AS VARCHAR)' },
  digest: { dataType: 'BYTES', sql: 'lower(hex(digest))' },
  landed: { dataType: 'TIMESTAMP', sql: 'CAST(epoch_ms(landed) AS VARCHAR)' },
  tags: { dataType: 'STRING', singleValueField: false, sql: 'CAST(to_json(tags) AS VARCHAR)' },
  'nested.deep': { dataType: 'INT', sql: 'CAST("nested.deep" AS VARCHAR)' },
  'items.x': { dataType: 'INT', sql: 'CAST("items.x" AS VARCHAR)' },
} as const;

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(value, { freq: 4 });
const sourceRow = fc.record(
  {
    text: optional(fc.oneof(fc.string({ maxLength: 8 }), fc.integer())),
    count: optional(fc.oneof(fc.maxSafeInteger(), fc.constant('12'), fc.constant('many'))),
    price: optional(fc.constantFrom('1.5', '-200.125', 3, '0', '12345678901234567890.5')),
    flag: optional(fc.oneof(fc.boolean(), fc.constant('true'))),
    document: optional(
      fc.oneof(fc.dictionary(fc.constantFrom('a', 'b'), fc.integer()), fc.constant('no json')),
    ),
    digest: optional(fc.constantFrom('cafe', '00ff')),
    landed: optional(fc.constantFrom('2026-01-01 00:00:00.125', 1_700_000_000_123)),
    tags: optional(fc.array(fc.constantFrom('a', 'b', 'ü'), { maxLength: 3 })),
    nested: optional(fc.record({ deep: optional(fc.integer({ min: -9, max: 9 })) })),
    items: optional(fc.array(fc.record({ x: fc.integer({ min: 0, max: 9 }) }), { maxLength: 3 })),
  },
  { requiredKeys: [] },
);

const features = fc.record({
  nullHandlingEnabled: fc.boolean(),
  continueOnError: fc.boolean(),
  isFiltered: fc.boolean(),
  isUnnested: fc.boolean(),
});

const example = fc.record({ rows: fc.array(sourceRow, { minLength: 1, maxLength: 12 }), features });
type Example = typeof example extends fc.Arbitrary<infer Value> ? Value : never;

function tableOf({
  features: { nullHandlingEnabled, continueOnError, isFiltered, isUnnested },
}: Example) {
  const schemaName = `t${(tableCount += 1)}`;
  const dimensionFieldSpecs = Object.entries(columns).map(([name, { sql: _sql, ...spec }]) => ({
    name,
    ...spec,
  }));
  const dateTimeFieldSpecs = [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ];
  const config = {
    tableName: schemaName,
    segmentsConfig: { timeColumnName: 'ts' },
    tableIndexConfig: { nullHandlingEnabled },
    ingestionConfig: {
      continueOnError,
      transformConfigs: [{ columnName: 'loud', transformFunction: 'upper(text)' }],
      ...(isFiltered && { filterConfig: { filterFunction: 'mod(id, 3) = 0' } }),
      complexTypeConfig: { delimiter: '.', fieldsToUnnest: isUnnested ? ['items'] : [] },
    },
  } satisfies TableConfigDocument;
  return { config, schema: { schemaName, dimensionFieldSpecs, dateTimeFieldSpecs } };
}

/** Rows as JSON lines, each with its number. */
function linesOf({ rows }: Example): readonly string[] {
  return rows.map((row, id) => JSON.stringify({ ...row, id, ts: 1_700_000_000_000 + id }));
}

/**
 * The rows of a preview as sorted texts: of each column its value, or null where the table has
 * null.
 */
function promised({ rows }: PreviewResponse, isNullHandled: boolean): readonly string[] {
  return rows
    .map(({ fieldToValueMap, nullValueFields }) =>
      JSON.stringify(
        Object.entries(columns).map(([name, { dataType }]) =>
          isNullHandled && nullValueFields.includes(name)
            ? null
            : textOf(fieldToValueMap[name], dataType),
        ),
      ),
    )
    .toSorted();
}

function textOf(value: SourceValue | undefined, dataType: string): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value === 'object') return JSON.stringify(value);
  return dataType === 'BIG_DECIMAL' ? plain(String(value)) : String(value);
}

/** Returns a decimal without insignificant zeros. */
function plain(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

async function held(tableName: string): Promise<readonly string[]> {
  const sql = `SELECT ${Object.values(columns)
    .map(({ sql: column }, index) => `${column} AS c${index}`)
    .join(', ')} FROM ${tableName}`;
  await using execution = await queries.execute({ sql }, { limits: { timeoutMs: 60_000 } });
  const batches = await Array.fromAsync(execution.batches);
  const names = Object.entries(columns);
  return batches
    .flatMap((batch) =>
      batch
        .toArray()
        .map((row: { toJSON(): Record<string, unknown> }) => Object.values(row.toJSON())),
    )
    .map((row: readonly unknown[]) =>
      JSON.stringify(
        row.map((cell, index) =>
          names[index]?.[1].dataType === 'BIG_DECIMAL' && typeof cell === 'string'
            ? plain(cell)
            : cell,
        ),
      ),
    )
    .toSorted();
}

test('the rows of a preview are those that the table answers, of files', async () => {
  await fc.assert(
    fc.asyncProperty(example, async (given) => {
      const { config, schema } = tableOf(given);
      const file = join(home, `${schema.schemaName}.jsonl`);
      await writeFile(
        file,
        linesOf(given)
          .map((line) => `${line}\n`)
          .join(''),
      );
      const finder = createFileFinder({ paths: [home] });
      const tableConfig = { ...config, tableType: 'OFFLINE' };
      const preview = await previewTable(
        { tableConfig, schema, sourceFiles: [file] },
        { clock: systemClock, finder },
      );
      await engine.createSchema(schema);
      await engine.createTable(tableConfig);
      const source = { kind: 'uri', uri: file } as const;
      const tableNameWithType = `${schema.schemaName}_OFFLINE`;
      const outcome = await engine.ingest({ tableNameWithType, source, batchConfig: {} }).then(
        () => 'taken',
        (error: unknown) => (isQuireError(error, 'INGESTION_FAILED') ? 'failed' : error),
      );
      const hasFailed = preview.droppedRows.some(({ kind }) => kind === 'failed');
      expect(outcome).toBe(hasFailed ? 'failed' : 'taken');
      const expected = hasFailed ? [] : promised(preview, given.features.nullHandlingEnabled);
      expect(await held(schema.schemaName)).toEqual(expected);
    }),
    { numRuns },
  );
});

test('the rows of a preview are those that the table answers, of a stream, also where it is one half of two', async () => {
  await fc.assert(
    fc.asyncProperty(example, async ({ rows, features: given }) => {
      // A table that does not continue on errors stops at the first bad message, while a preview
      // continues.
      const taken = { rows, features: { ...given, continueOnError: true } };
      const { config, schema } = tableOf(taken);
      await using producer = await FileProducer.open({
        directory: join(home, 'streams'),
        topic: schema.schemaName,
        partitionCount: 1,
      });
      await producer.append(
        linesOf(taken).map((line) => ({ key: null, value: Buffer.from(line) })),
      );
      const stream = {
        streamType: 'file',
        'stream.file.topic.name': schema.schemaName,
        'stream.file.consumer.prop.auto.offset.reset': 'smallest',
      };
      const ingestionConfig = {
        ...config.ingestionConfig,
        streamIngestionConfig: { streamConfigMaps: [stream] },
      };
      const tableConfig = { ...config, tableType: 'REALTIME', ingestionConfig };
      const sourceRows = linesOf(taken).map((line) => JSON.parse(line) as object);
      const offline = { ...config, tableType: 'OFFLINE' };
      const isHybrid = rows.length % 2 === 1;
      const asked = isHybrid
        ? {
            tableConfigs: {
              tableName: schema.schemaName,
              schema,
              offline,
              realtime: tableConfig,
            },
          }
        : { tableConfig, schema };
      const preview = await previewTable({ ...asked, sourceRows }, { clock: systemClock });
      await engine.createSchema(schema);
      if (isHybrid) await engine.createTable(offline);
      await engine.createTable(tableConfig);
      const name = `${schema.schemaName}_REALTIME`;
      const expected = promised(preview, given.nullHandlingEnabled);
      await until(async () => {
        const [partition] = (await engine.readConsumption(name)).partitions;
        return partition?.lagMessages === 0 && partition.lastConsumedMs !== null;
      }, 'all messages are consumed');
      expect(await held(schema.schemaName)).toEqual(expected);
      await engine.deleteTable(name);
      if (isHybrid) await engine.deleteTable(`${schema.schemaName}_OFFLINE`);
    }),
    { numRuns: Math.ceil(numRuns / 6) },
  );
});
