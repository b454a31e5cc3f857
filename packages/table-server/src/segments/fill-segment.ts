import { type Clock, QuireError } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import {
  FieldUse,
  parseTableConfig,
  parseTableSchema,
  runPipeline,
  type SourceRow,
} from '@quire/tables';
import type { RowFileWriter } from './row-file-writer.ts';

/** The number of rows that the pipeline processes at a time. */
const batchRows = 2_000;

export interface FillOptions {
  readonly config: TableConfigDocument;
  readonly schema: TableSchemaDocument;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Runs the rows of a source through the pipeline of a table, which previews use as well, and writes
 * all of them to a file, or throws.
 *
 * @throws INGESTION_FAILED when a row cannot be ingested, with the row, the column and the reason;
 *   or when rows have fields, but none that the table reads, as with a wrong delimiter
 */
export async function fillFile(
  rows: AsyncIterable<SourceRow>,
  writer: RowFileWriter,
  options: FillOptions,
): Promise<void> {
  const { config } = parseTableConfig(options.config);
  const { schema } = parseTableSchema(options.schema);
  const { clock, signal } = options;
  const fieldUse = new FieldUse({ config, schema, clock });
  let rowCount = 0;
  let batch: SourceRow[] = [];
  const flush = async (): Promise<void> => {
    const result = await runPipeline(batch, {
      config,
      schema,
      clock,
      signal,
      examplesMax: 0,
      droppedMax: Infinity,
    });
    const failed = result.dropped.find(({ kind }) => kind === 'failed');
    if (failed !== undefined) {
      const column = failed.column === undefined ? '' : `, column ${failed.column}`;
      throw new QuireError(
        'INGESTION_FAILED',
        `Row ${rowCount + failed.sourceIndex + 1}${column}: ${failed.reason}`,
      );
    }
    fieldUse.add(batch, result.rows);
    await writer.write(result.rows);
    rowCount += batch.length;
    batch = [];
  };
  for await (const row of rows) {
    batch.push(row);
    if (batch.length >= batchRows) await flush();
  }
  await flush();
  const { problem } = fieldUse;
  if (problem !== undefined) throw new QuireError('INGESTION_FAILED', problem);
}
