import { join } from 'node:path';
import type { Clock } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import type { RowFile } from '../segments/manifest.ts';
import { segmentNameOf } from '../segments/file-name.ts';
import { assertWhole } from '../segments/verify-file.ts';
import { readRowFile } from '../segments/read-row-file.ts';
import { RowFileWriter } from '../segments/row-file-writer.ts';
import { shapeOf } from '../segments/table-columns.ts';
import { type PackedMessages, unpackMessages } from './packed-messages.ts';
import { type BadMessage, transformMessages } from './transform-messages.ts';

/** What a table is like while its messages are taken in. */
export interface TableDocuments {
  readonly config: TableConfigDocument;
  readonly schema: TableSchemaDocument;
}

/** Where a file of rows is to be written. */
export interface NewRowFile extends TableDocuments {
  /** Directory of the table's data, in which the new file gets this name. */
  readonly directory: string;
  readonly file: string;
}

/** Messages become a file of rows. */
export interface FillJob extends NewRowFile {
  readonly kind: 'fill';
  readonly messages: PackedMessages;
}

/** Files of rows become one. */
export interface MergeJob extends NewRowFile {
  readonly kind: 'merge';
  readonly inputs: readonly RowFile[];
}

/** A piece of the work of consumption: data in, at most one file out, which no record names yet. */
export type ChunkJob = FillJob | MergeJob;

/** The file of a chunk, and the messages that were left out. */
export interface ChunkOutput {
  /** Undefined where there is no row to be written. */
  readonly written: RowFile | undefined;
  /** The first of the messages that were left out, and how many there are. */
  readonly skipped: readonly BadMessage[];
  readonly skippedCount: number;
  /** The message before which the rows end. */
  readonly stoppedAt: BadMessage | undefined;
}

/**
 * Why the work came to no end, such as that of its process, as a sentence; what it wrote is its
 * caller's to remove.
 */
export interface ChunkLost {
  readonly lost: string;
}

/**
 * Does the work somewhere else, such as in a process that may die alone.
 *
 * @throws what has nothing to do with the messages themselves: a full disk, the end of the server
 */
export type RunChunkJob = (
  job: ChunkJob,
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<ChunkOutput | ChunkLost>;

/** What the work on a chunk takes from its process. */
export interface ChunkTools {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** The most bad messages of one job that are reported one by one. */
const skippedMax = 100;

/** Does the work here. @throws ABORTED */
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
  const { rows, skipped, stoppedAt } = await transformMessages(unpackMessages(messages), {
    config,
    schema,
    ...tools,
  });
  const bad = { skipped: skipped.slice(0, skippedMax), skippedCount: skipped.length, stoppedAt };
  if (rows.length === 0) return { written: undefined, ...bad };
  const path = join(directory, file);
  await using writer = await RowFileWriter.create(path, file, shapeOf(config, schema));
  try {
    await writer.write(rows);
    return { written: await writer.finish(), ...bad };
  } catch (error) {
    // A row that cannot be written must not keep the others from being: they are taken a part at a
    // time, until it is found.
    if (!isOfRows(error)) throw error;
    return { lost: `the rows cannot be written: ${error.message}` };
  }
}

/**
 * Whether an error says something about rows, as one of the runtime does that has no code of the
 * system.
 */
function isOfRows(error: unknown): error is Error {
  return (error instanceof RangeError || error instanceof TypeError) && !('code' in error);
}

/**
 * Writes the rows of several files into a new one, in their order; the caller makes it count.
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
