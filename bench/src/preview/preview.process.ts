import { deepStrictEqual, strictEqual } from 'node:assert';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DuckDBInstance } from '@duckdb/node-api';
import { parseLosslessJson, systemClock } from '@quire/core';
import { previewTable, runPipeline, writePreview } from '@quire/tables';
import { argumentOfParent, serveParent } from '../process/serve-parent.ts';
import { transformAndCheckByHand, transformByHand } from './hand-written.ts';
import {
  sceneConfig,
  type SceneRow,
  sceneRows,
  sceneSchema,
  sourceColumns,
  transforms,
} from './preview-scene.ts';

export interface PreviewOptions {
  readonly rowCount: number;
  /** The path of the rows for DuckDB to load. */
  readonly directory: string;
}

export type PreviewRequest =
  | 'pipeline'
  | 'by-hand'
  | 'checked-by-hand'
  | 'duckdb'
  | 'whole-call'
  | 'whole-by-hand';

export interface PreviewAnswer {
  readonly elapsedMs: number;
  /** The delay of a timer by the event loop during the work, in milliseconds. */
  readonly loopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

type PlainRow = Readonly<Record<string, unknown>>;

const loopResolutionMs = 1;
const { rowCount, directory } = argumentOfParent() as PreviewOptions;
const rows = sceneRows(rowCount);
const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();
await loadRows();

const contenders: Readonly<Record<PreviewRequest, () => Promise<readonly PlainRow[]>>> = {
  async pipeline() {
    const result = await runPipeline(rows, {
      config: sceneConfig,
      schema: sceneSchema,
      clock: systemClock,
    });
    return result.rows.map(({ fields }) => fields);
  },
  'by-hand': () => Promise.resolve(transformByHand(rows)),
  'checked-by-hand': () => Promise.resolve(transformAndCheckByHand(rows)),
  async duckdb() {
    const columns = transforms.map(({ column, sql }) => `${sql} AS ${column}`);
    const reader = await connection.runAndReadAll(
      `SELECT *, ${columns.join(', ')} FROM source WHERE NOT name = 'no one'`,
    );
    return reader.getRowObjectsJS();
  },
  async 'whole-call'() {
    const preview = await previewTable(parseLosslessJson(body), { clock: systemClock });
    let length = 0;
    for await (const piece of writePreview(preview)) length += piece.length;
    strictEqual(preview.summary.getnRows, rowCount);
    strictEqual(length > body.length, true);
    return [];
  },
  async 'whole-by-hand'() {
    const { sourceRows } = JSON.parse(body) as {
      readonly sourceRows: readonly { readonly fieldToValueMap: SceneRow }[];
    };
    const made = transformByHand(sourceRows.map(({ fieldToValueMap }) => fieldToValueMap));
    const answer = JSON.stringify({
      sourceRows,
      rows: made.map((fieldToValueMap) => ({ fieldToValueMap })),
    });
    strictEqual(answer.length > body.length, true);
    return [];
  },
};
await checkAnswers();

/** Returns the body of a call with all rows. */
const body = JSON.stringify({
  tableConfig: { tableName: 'scene', ...sceneConfig },
  schema: { schemaName: 'scene', ...sceneSchema },
  sourceRows: rows.map((fieldToValueMap) => ({ fieldToValueMap })),
});

serveParent(
  (request) => measure(contenders[request as PreviewRequest]),
  async () => {
    connection.closeSync();
    instance.closeSync();
  },
);

async function measure(run: () => Promise<unknown>): Promise<PreviewAnswer> {
  const delay = monitorEventLoopDelay({ resolution: loopResolutionMs });
  delay.enable();
  // The first turn of the loop starts the measurement; blocking before it would go unnoticed.
  await systemClock.sleep(2 * loopResolutionMs);
  const startMs = performance.now();
  await run();
  const elapsedMs = performance.now() - startMs;
  await systemClock.sleep(2 * loopResolutionMs);
  delay.disable();
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - loopResolutionMs);
  return {
    elapsedMs,
    loopDelayMs: {
      p50: late(delay.percentile(50)),
      p99: late(delay.percentile(99)),
      max: late(delay.max),
    },
  };
}

async function loadRows(): Promise<void> {
  const path = join(directory, 'rows.json');
  await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  const sqlTypes: Readonly<Record<string, string>> = {
    LONG: 'BIGINT',
    STRING: 'VARCHAR',
    DOUBLE: 'DOUBLE',
  };
  const columns = sourceColumns.map(({ name, type }) => `${name}: '${sqlTypes[type]}'`).join(', ');
  await connection.run(
    `CREATE TABLE source AS SELECT * FROM read_json('${path}', format = 'newline_delimited', columns = {${columns}})`,
  );
}

/** All contenders must have done the same work. */
async function checkAnswers(): Promise<void> {
  const [pipeline, byHand, checked, duckdb] = await Promise.all(
    (['pipeline', 'by-hand', 'checked-by-hand', 'duckdb'] as const).map((name) =>
      contenders[name](),
    ),
  );
  if (pipeline === undefined) throw new Error('The pipeline returned nothing.');
  for (const [index, row] of pipeline.entries()) {
    deepStrictEqual(comparable(byHand?.[index]), comparable(row));
    deepStrictEqual(comparable(checked?.[index]), comparable(row));
    deepStrictEqual(comparable(duckdb?.[index]), comparable(row));
  }
}

function comparable(row: PlainRow | undefined): PlainRow {
  return Object.fromEntries(
    Object.entries(row ?? {})
      .map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value] as const)
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
}
