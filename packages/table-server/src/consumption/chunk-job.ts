import { join } from 'node:path';
import type { Clock } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import type { RowFile } from '../segments/manifest.ts';
import { segmentNameOf } from '../segments/file-name.ts';
import { assertWhole } from '../segments/verify-file.ts';
import { readRowFile } from '../segments/read-row-file.ts';
import { RowFileWriter } from '../segments/row-file-writer.ts';
import { shapeOf } from '../segments/table-columns.ts';
import type { PackedMessages } from './packed-messages.ts';
import { type BadMessage, transformMessages } from './transform-messages.ts';

/** The config and schema of a table at the time its messages are processed. */
export interface TableDocuments {
  readonly config: TableConfigDocument;
  readonly schema: TableSchemaDocument;
}

/** The location of a new file of rows, and the table that it belongs to. */
export interface NewRowFile extends TableDocuments {
  /** The data directory of the table, in which the new file is created under this name. */
  readonly directory: string;
  readonly file: string;
}

/** Writes the rows of messages to a file. */
export interface FillJob extends NewRowFile {
  readonly kind: 'fill';
  readonly messages: PackedMessages;
}

/** Merges several files of rows into one. */
export interface MergeJob extends NewRowFile {
  readonly kind: 'merge';
  readonly inputs: readonly RowFile[];
}

/**
 * A unit of consumption work: its input is plain data, its output at most one file that no record
 * names yet.
 */
export type ChunkJob = FillJob | MergeJob;

/** The file of a chunk, and the messages that were skipped. */
export interface ChunkOutput {
  /** Undefined if there was no row to write. */
  readonly written: RowFile | undefined;
  /** The first of the skipped messages, and the number of all of them. */
  readonly skipped: readonly BadMessage[];
  readonly skippedCount: number;
  /** The message that stopped the job; the rows end before it. */
  readonly stoppedAt: BadMessage | undefined;
}

/**
 * The reason why a job did not finish, such as a killed process, as a sentence. The caller removes
 * the file that it may have written.
 */
export interface ChunkLost {
  readonly lost: string;
}

/**
 * Runs a job elsewhere, such as in a process that can be killed on its own.
 *
 * @throws for failures that the messages did not cause: a full disk, the shutdown of the server
 */
export type RunChunkJob = (
  job: ChunkJob,
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<ChunkOutput | ChunkLost>;

/** The dependencies of a job. */
export interface ChunkTools {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** The maximum number of skipped messages of one job that are reported individually. */
const skippedMax = 100;

/** Runs a job in this process. @throws ABORTED */
export async function runChunkJob(
  job: ChunkJob,
  tools: ChunkTools,
): Promise<ChunkOutput | ChunkLost> {
  return job.kind === 'fill' ? fill(job, tools) : merge(job, tools);
}

async function fill(
  { messages, config, schema, directory, file }: FillJob,
  tools: ChunkTools,
): Promise<ChunkOutput | ChunkLost> {
  await using writer = await RowFileWriter.create(
    join(directory, file),
    file,
    shapeOf(config, schema),
  );
  try {
    const sink = writer;
    const bad = await transformMessages(messages, { config, schema, sink, ...tools });
    return {
      written: writer.rowCount === 0 ? undefined : await writer.finish(),
      skipped: bad.skipped.slice(0, skippedMax),
      skippedCount: bad.skipped.length,
      stoppedAt: bad.stoppedAt,
    };
  } catch (error) {
    // One row that cannot be written must not block the others: the caller splits the messages
    // until the row is found.
    if (!isOfRows(error)) throw error;
    return { lost: `the rows cannot be written: ${error.message}` };
  }
}

/**
 * Reports whether an error is about rows: a range or type error of the runtime, without an error
 * code of the operating system.
 */
function isOfRows(error: unknown): error is Error {
  return (error instanceof RangeError || error instanceof TypeError) && !('code' in error);
}

/**
 * Copies the rows of several files to a new one, in order. The caller adds the new file to a
 * record.
 * @throws TABLE_DAMAGED
 */
async function merge(
  { inputs, config, schema, directory, file }: MergeJob,
  { signal }: ChunkTools,
): Promise<ChunkOutput> {
  const shape = shapeOf(config, schema);
  await using writer = await RowFileWriter.create(join(directory, file), file, shape);
  for (const each of inputs) {
    const path = join(directory, each.file);
    await assertWhole(
      { ...each, path },
      { segmentName: segmentNameOf(each.file), tableName: config.tableName, signal },
    );
    if (await writer.appendFile(path, each)) continue;
    for await (const rows of readRowFile(path, each, shape)) await writer.write(rows);
  }
  return { written: await writer.finish(), skipped: [], skippedCount: 0, stoppedAt: undefined };
}
