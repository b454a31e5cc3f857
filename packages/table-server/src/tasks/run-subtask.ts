import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isQuireError, QuireError, type Random, throwIfAborted } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import { type FileFinder, openFileRows, parseTableSchema } from '@quire/tables';
import { fillFile } from '../segments/fill-segment.ts';
import type { RowFile, SegmentRecord } from '../segments/manifest.ts';
import { readRowFile } from '../segments/read-row-file.ts';
import { RowFileWriter } from '../segments/row-file-writer.ts';
import { shapeOf, type TableShape } from '../segments/table-columns.ts';
import { fileNameOf, segmentNameOf } from '../segments/file-name.ts';
import { assertWhole } from '../segments/verify-file.ts';
import { mergeRows } from './merge-rows.ts';
import type { GenerateWork, MergeWork, SubtaskOutput, SubtaskWork } from './task-plan.ts';

/**
 * The work of a subtask with the required facts about its tables, as plain data that can be sent to
 * another process.
 */
export interface SubtaskJob {
  readonly work: SubtaskWork;
  /** The directory of the source's rows, and that of the target's. */
  readonly sourceDirectory: string;
  readonly targetDirectory: string;
  /** The config and schema of the target. */
  readonly config: TableConfigDocument;
  readonly schema: TableSchemaDocument;
  readonly createdMs: number;
  /** The prefix of the names of the new segments and their files, and of no others. */
  readonly segmentStem: string;
}

/** Runs a subtask elsewhere, such as in a process that can be killed on its own. */
export type RunSubtaskJob = (
  job: SubtaskJob,
  options: { readonly signal: AbortSignal; readonly onProgress: (sentence: string) => void },
) => Promise<SubtaskOutput>;

/** The dependencies of a subtask. */
export interface SubtaskTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly finder: FileFinder | undefined;
  readonly rowBytesMax: number;
  readonly signal: AbortSignal;
  readonly onProgress: (sentence: string) => void;
}

type SubtaskContext = SubtaskJob & SubtaskTools;

/**
 * Runs a subtask, which writes files of rows that no record names yet. When it fails, the caller
 * removes the written files.
 *
 * @throws INGESTION_FAILED with the complete reason; TABLE_DAMAGED when a file to merge is damaged;
 *   ABORTED
 */
export function runSubtask(job: SubtaskJob, tools: SubtaskTools): Promise<SubtaskOutput> {
  const context = { ...job, ...tools };
  return job.work.kind === 'generate' ? generate(job.work, context) : merge(job.work, context);
}

async function generate(
  { uri, batchConfig }: GenerateWork,
  context: SubtaskContext,
): Promise<SubtaskOutput> {
  const { config, schema, clock, finder, rowBytesMax, signal } = context;
  const { files = [], problem } = (await finder?.find(escaped(uri), signal)) ?? {};
  const file = files.find((each) => each.uri === uri);
  if (problem !== undefined) throw new QuireError('INGESTION_FAILED', problem.message);
  if (file === undefined) throw new QuireError('INGESTION_FAILED', `${uri} no longer exists.`);
  await using written = new SegmentFiles(context, { input: uri.slice(0, 1_000) });
  try {
    const writer = await written.open();
    await fillFile(openFileRows(file, { batchConfig, rowBytesMax, signal }), writer, {
      config,
      schema,
      clock,
      signal,
    });
    const segments = await written.finish();
    return { segments, info: `1 file, ${describe(segments)}` };
  } catch (error) {
    if (!isQuireError(error) || error.code !== 'INGESTION_FAILED' || error.message.includes(uri)) {
      throw error;
    }
    throw new QuireError('INGESTION_FAILED', `${uri}: ${error.message}`, { cause: error });
  }
}

async function merge(work: MergeWork, context: SubtaskContext): Promise<SubtaskOutput> {
  const { config, schema, signal, onProgress } = context;
  const shape = shapeOf(config, schema);
  const metricNames = (parseTableSchema(schema).schema.metricFieldSpecs ?? []).flatMap(
    ({ name }) => name ?? [],
  );
  await using written = new SegmentFiles(context, work.custom);
  for await (const rows of mergeRows(readAll(work.inputs, context, shape), work, {
    shape,
    metricNames,
  })) {
    throwIfAborted(signal);
    for (let start = 0; start < rows.length;) {
      const writer = await written.open();
      const remaining = work.rowsMax - writer.rowCount;
      await writer.write(rows.slice(start, start + remaining));
      start += remaining;
      if (writer.rowCount >= work.rowsMax) await written.close();
    }
    onProgress(`${written.rowCount.toLocaleString('en-US')} rows written`);
  }
  const segments = await written.finish();
  return {
    segments,
    info: `${count(work.inputs.length, 'segment')} merged by ${work.mode}: ${describe(segments)}`,
  };
}

async function* readAll(
  inputs: readonly RowFile[],
  { work, sourceDirectory, signal }: SubtaskContext,
  shape: TableShape,
) {
  const tableName = work.kind === 'merge' ? work.sourceTable : undefined;
  for (const input of inputs) {
    const path = join(sourceDirectory, input.file);
    await assertWhole(
      { ...input, path },
      { segmentName: segmentNameOf(input.file), tableName, signal },
    );
    for await (const rows of readRowFile(path, input, shape)) {
      throwIfAborted(signal);
      yield rows;
    }
  }
}

/** The files of a subtask, written one after another; each becomes a segment of the target. */
class SegmentFiles implements AsyncDisposable {
  readonly #context: SubtaskContext;
  readonly #custom: Readonly<Record<string, string>>;
  readonly #segments: SegmentRecord[] = [];
  #writer:
    | { readonly writer: RowFileWriter; readonly segmentName: string; readonly path: string }
    | undefined;
  #fileCount = 0;

  constructor(context: SubtaskContext, custom: Readonly<Record<string, string>>) {
    this.#context = context;
    this.#custom = custom;
  }

  get rowCount(): number {
    return this.#segments.reduce(
      (sum, { rowCount }) => sum + rowCount,
      this.#writer?.writer.rowCount ?? 0,
    );
  }

  async open(): Promise<RowFileWriter> {
    if (this.#writer !== undefined) return this.#writer.writer;
    const { config, schema, random, segmentStem, targetDirectory } = this.#context;
    const segmentName = `${segmentStem}${this.#fileCount}`;
    this.#fileCount += 1;
    const file = fileNameOf(segmentName, random);
    const path = join(targetDirectory, file);
    this.#writer = {
      segmentName,
      path,
      writer: await RowFileWriter.create(path, file, shapeOf(config, schema)),
    };
    return this.#writer.writer;
  }

  async close(): Promise<void> {
    if (this.#writer === undefined) return;
    const { writer, segmentName, path } = this.#writer;
    const file = await writer.finish();
    this.#writer = undefined;
    const { clock, createdMs } = this.#context;
    if (file.rowCount === 0) await rm(path);
    else {
      this.#segments.push({
        ...file,
        segmentName,
        createdMs,
        committedMs: clock.nowMs(),
        stream: null,
        custom: this.#custom,
      });
    }
  }

  async finish(): Promise<readonly SegmentRecord[]> {
    await this.close();
    return this.#segments;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer?.writer[Symbol.asyncDispose]();
  }
}

/** Returns a pattern that matches only this name. */
function escaped(uri: string): string {
  return uri.replaceAll(/[*?[\]{}]/g, (character) => (character === '[' ? '[[]' : '?'));
}

function describe(segments: readonly SegmentRecord[]): string {
  const rowCount = segments.reduce((sum, segment) => sum + segment.rowCount, 0);
  return `${count(rowCount, 'row')}, ${count(segments.length, 'segment')}`;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}
