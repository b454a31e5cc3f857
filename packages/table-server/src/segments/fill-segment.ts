import { type Clock, QuireError } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import {
  columnsOfSchema,
  fieldsRead,
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
  const { columns } = columnsOfSchema(schema);
  const reads = fieldsRead({ config, schema, clock });
  /** The fields of the first row, unless some row has one that is read. */
  let unread: readonly string[] | undefined;
  let [isRead, hasValues] = [reads === undefined, false];
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
    hasValues ||= result.rows.some(({ nullFields }) => nullFields.length < columns.length);
    await writer.write(result.rows);
    rowCount += batch.length;
    batch = [];
  };
  for await (const row of rows) {
    if (!isRead && reads !== undefined) {
      const names = Object.keys(row);
      isRead = names.some((name) => reads.has(name));
      unread ??= names.length > 0 ? names : undefined;
    }
    batch.push(row);
    if (batch.length >= batchRows) await flush();
  }
  await flush();
  if (isRead || hasValues || unread === undefined) return;
  throw new QuireError(
    'INGESTION_FAILED',
    `None of its fields is a column of the table: it has ${listed(unread)}; the table has ${listed(columns.map(({ name }) => name))}.`,
  );
}

/** The maximum number of names in a message. */
const namesMax = 10;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).map((name) => `'${name.slice(0, 60)}'`);
  return `${shown.join(', ')}${names.length > namesMax ? ' and others' : ''}`;
}
