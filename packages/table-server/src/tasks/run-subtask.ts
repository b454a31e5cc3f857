import { type Clock, QuireError, type Random, throwIfAborted } from '@quire/core';
import type { TableSchemaDocument } from '@quire/core/table-engine';
import { type FileFinder, openFileRows, parseTableSchema } from '@quire/tables';
import { fillFile } from '../segments/fill-segment.ts';
import type { RowFile, SegmentRecord } from '../segments/manifest.ts';
import { readRowFile } from '../segments/read-row-file.ts';
import { RowFileWriter } from '../segments/row-file-writer.ts';
import { shapeOf } from '../segments/table-columns.ts';
import type { ServedTable } from '../served-table.ts';
import { mergeRows } from './merge-rows.ts';
import type { GenerateWork, MergeWork, SubtaskOutput, SubtaskWork } from './task-plan.ts';

/** What the work of a subtask needs. */
export interface SubtaskContext {
  readonly source: ServedTable;
  readonly target: ServedTable;
  readonly schema: TableSchemaDocument;
  readonly clock: Clock;
  readonly random: Random;
  readonly finder: FileFinder | undefined;
  readonly rowBytesMax: number;
  readonly signal: AbortSignal;
  readonly onProgress: (sentence: string) => void;
}

/**
 * Does the work of a subtask: files of rows that no record names yet. What it wrote is removed when it fails or is aborted.
 *
 * @throws INGESTION_FAILED with the whole reason
 */
export function runSubtask(work: SubtaskWork, context: SubtaskContext): Promise<SubtaskOutput> {
  return work.kind === 'generate' ? generate(work, context) : merge(work, context);
}

async function generate({ uri, batchConfig }: GenerateWork, context: SubtaskContext): Promise<SubtaskOutput> {
  const { target, schema, clock, finder, rowBytesMax, signal } = context;
  const { config } = target.record;
  const { files = [], problem } = (await finder?.find(escaped(uri), signal)) ?? {};
  const file = files.find((each) => each.uri === uri);
  if (problem !== undefined) throw new QuireError('INGESTION_FAILED', problem.message);
  if (file === undefined) throw new QuireError('INGESTION_FAILED', `${uri} no longer exists.`);
  const written = new SegmentFiles(context, { input: uri.slice(0, 1_000) });
  try {
    const writer = await written.open();
    await fillFile(openFileRows(file, { batchConfig, rowBytesMax, signal }), writer, { config, schema, clock, signal });
    const segments = await written.finish();
    return { segments, info: `1 file, ${describe(segments)}` };
  } catch (error) {
    await written.remove();
    if (!(error instanceof QuireError) || error.code !== 'INGESTION_FAILED' || error.message.includes(uri)) throw error;
    throw new QuireError('INGESTION_FAILED', `${uri}: ${error.message}`, { cause: error });
  }
}

async function merge(work: MergeWork, context: SubtaskContext): Promise<SubtaskOutput> {
  const { source, target, schema, signal, onProgress } = context;
  const shape = shapeOf(target.record.config, schema);
  const metricNames = (parseTableSchema(schema).schema.metricFieldSpecs ?? []).flatMap(({ name }) => name ?? []);
  const written = new SegmentFiles(context, work.custom);
  try {
    for await (const rows of mergeRows(readAll(work.inputs, source, shape, signal), work, { shape, metricNames })) {
      throwIfAborted(signal);
      for (let start = 0; start < rows.length;) {
        const writer = await written.open();
        const room = work.rowsMax - writer.rowCount;
        await writer.write(rows.slice(start, start + room));
        start += room;
        if (writer.rowCount >= work.rowsMax) await written.close();
      }
      onProgress(`${written.rowCount.toLocaleString('en-US')} rows written`);
    }
    const segments = await written.finish();
    return { segments, info: `${count(work.inputs.length, 'segment')} merged by ${work.mode}: ${describe(segments)}` };
  } catch (error) {
    await written.remove();
    throw error;
  }
}

async function* readAll(inputs: readonly RowFile[], source: ServedTable, shape: ReturnType<typeof shapeOf>, signal: AbortSignal) {
  for (const input of inputs) {
    for await (const rows of readRowFile(source.pathOf(input.file), input, shape)) {
      throwIfAborted(signal);
      yield rows;
    }
  }
}

/** Files of a subtask, one after the other, each to be a segment of the target. */
class SegmentFiles {
  readonly #context: SubtaskContext;
  readonly #custom: Readonly<Record<string, string>>;
  readonly #segments: SegmentRecord[] = [];
  /** All that were begun. They are held until their task has ended, by the engine of tasks. */
  readonly #files: string[] = [];
  readonly #createdMs: number;
  readonly #id: string;
  #writer: { readonly writer: RowFileWriter; readonly segmentName: string } | undefined;

  constructor(context: SubtaskContext, custom: Readonly<Record<string, string>>) {
    this.#context = context;
    this.#custom = custom;
    this.#createdMs = context.clock.nowMs();
    this.#id = Buffer.from(context.random.bytes(4)).toString('hex');
  }

  get rowCount(): number {
    return this.#segments.reduce((sum, { rowCount }) => sum + rowCount, this.#writer?.writer.rowCount ?? 0);
  }

  async open(): Promise<RowFileWriter> {
    if (this.#writer !== undefined) return this.#writer.writer;
    const { target, schema } = this.#context;
    const segmentName = `${target.name}_${this.#createdMs}_${this.#id}_${this.#segments.length}`;
    const { file, path } = target.newFile(segmentName);
    this.#files.push(file);
    this.#writer = { segmentName, writer: await RowFileWriter.create(path, file, shapeOf(target.record.config, schema)) };
    return this.#writer.writer;
  }

  async close(): Promise<void> {
    if (this.#writer === undefined) return;
    const { writer, segmentName } = this.#writer;
    const file = await writer.finish();
    this.#writer = undefined;
    const { clock, target } = this.#context;
    if (file.rowCount === 0) await target.removeFile(file.file);
    else {
      this.#segments.push({
        ...file,
        segmentName,
        createdMs: this.#createdMs,
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

  async remove(): Promise<void> {
    await this.#writer?.writer[Symbol.asyncDispose]();
    for (const file of this.#files) {
      await this.#context.target.removeFile(file);
      this.#context.target.releaseFile(file);
    }
  }
}

/** A name as the pattern that only it matches. */
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
