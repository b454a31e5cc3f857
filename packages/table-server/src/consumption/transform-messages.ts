import { type Clock, throwIfAborted } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import { TimeSlice } from '@quire/core/wait';
import { decodeJson } from '@quire/streams';
import {
  openPipeline,
  parseTableConfig,
  parseTableSchema,
  type PipelineRow,
  type PlainRowReader,
} from '@quire/tables';
import type { PackedMessages } from './packed-messages.ts';

/** A message that could not be turned into a row. */
export interface BadMessage {
  readonly offset: number;
  /** A sentence without its subject: `is not JSON: …`. */
  readonly problem: string;
}

/** The messages that became no row. */
export interface BadMessages {
  /** The messages that were skipped, in order. */
  readonly skipped: readonly BadMessage[];
  /** The message that stops consumption; those after it were not processed. */
  readonly stoppedAt: BadMessage | undefined;
}

/** Receives the rows of messages, in order. */
export interface RowSink {
  /** Takes the row that a reader has read last. */
  takePlain(row: PlainRowReader): void;
  take(row: PipelineRow): void;
  /** True if it needs `flush` before it takes further rows. */
  readonly isFull: boolean;
  flush(): Promise<void>;
}

export interface TransformOptions {
  readonly config: TableConfigDocument;
  readonly schema: TableSchemaDocument;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly sink: RowSink;
}

/** The number of plain rows between two checks of the time; together they take some 20 µs. */
const plainRowsOfCheck = 64;

/**
 * Runs messages through the pipeline of a table. A bad message is skipped or stops consumption,
 * depending on `continueOnError`.
 *
 * Most messages are plain: no step of the pipeline would change their values. These are read
 * directly from their bytes. All others, valid or not, are decoded and sent through the pipeline.
 *
 * @throws ABORTED
 */
export async function transformMessages(
  { offsets, starts, lengths, bytes: packed }: PackedMessages,
  { clock, signal, sink, ...documents }: TransformOptions,
): Promise<BadMessages> {
  const { config } = parseTableConfig(documents.config);
  const { schema } = parseTableSchema(documents.schema);
  const pipeline = openPipeline({ config, schema, clock });
  const { plainRows } = pipeline;
  const isContinued = config.ingestionConfig?.continueOnError === true;
  const skipped: BadMessage[] = [];
  const slice = new TimeSlice(clock, signal);
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let index = 0; index < offsets.length; index += 1) {
    const offset = offsets[index] ?? 0;
    const start = starts[index] ?? 0;
    const length = lengths[index] ?? -1;
    const end = start + Math.max(0, length);
    let isDue = index % plainRowsOfCheck === 0;
    if (plainRows?.read(bytes, start, end) === true) {
      sink.takePlain(plainRows);
    } else {
      const problems = takeMessage(length < 0 ? null : bytes.subarray(start, end));
      for (const problem of problems) {
        if (!isContinued) return { skipped: [], stoppedAt: { offset, problem } };
        skipped.push({ offset, problem });
      }
      isDue = true;
    }
    if (sink.isFull) await sink.flush();
    if (isDue && slice.isDue) await slice.yield();
  }
  throwIfAborted(signal);
  return { skipped, stoppedAt: undefined };

  /** Returns the reasons why a message, or rows that it contains, cannot be stored. */
  function takeMessage(value: Uint8Array | null): readonly string[] {
    const result = decodeJson({ value, offset: 0, key: null, timestampMs: null });
    if ('problem' in result) return [result.problem];
    const { rows, dropped } = pipeline.take(result.row);
    const failed = dropped.filter(({ kind }) => kind === 'failed');
    if (isContinued || failed.length === 0) for (const row of rows) sink.take(row);
    return failed.map(({ column, reason }) => {
      const where = column === undefined ? '' : `, column ${column}`;
      return `cannot be ingested${where}: ${reason}`;
    });
  }
}
