import { isQuireError, QuireError } from '@quire/core';
import { Deadline } from '@quire/core/wait';
import {
  decodeJson,
  findStartOffset,
  type MessageStream,
  type PartitionOffsets,
  type StreamStart,
} from '@quire/streams';
import type { TableConfig } from '../config/table-config.ts';
import type { Finding } from '../finding.ts';
import type { SourceRow } from '../row.ts';
import { ByteBudget, SourceProblem } from '../sources/source-file.ts';
import { streamsOf } from '../validate/stream-rules.ts';
import type { Given, PreviewRequest } from './preview-request.ts';
import {
  noSample,
  type RealtimeSample,
  type Sample,
  SampleBudget,
  type SampleOptions,
} from './sample.ts';

/** The maximum number of partitions that are read: each may need a connection. */
const partitionsMax = 32;

/** The maximum number of message findings of one kind that are listed individually. */
const messageFindingsMax = 5;

/** The effect of a message that cannot be a row. */
const messageSkipped = 'The message is skipped.';

/**
 * Samples the streams of a table: a share of the rows of each partition, from the offset where the
 * table would start, or from the oldest message if it would start at the end. A partition that
 * cannot be read is a finding, and others are read nevertheless.
 */
export async function sampleStreams(
  request: PreviewRequest,
  options: SampleOptions,
): Promise<Sample> {
  const given = realtimeConfigOf(request);
  const streams = given === undefined ? [] : streamsOf(given.value);
  if (given === undefined || streams.length === 0) return noSample;
  const [first] = streams;
  if (options.openStream === undefined) {
    return { ...noSample, findings: [notAllowed(`${given.path}${first?.path ?? ''}`)] };
  }
  const { clock, limits, signal } = options;
  // Half the time of a preview is for its streams; the pipeline processes the messages that were
  // read by then.
  using time = new Deadline({ clock, timeoutMs: limits.timeMaxMs / 2, signal, error: tooLate });
  const sampling = new StreamSampling({ ...options, signal: time.signal });
  const rowsMax = Math.max(
    0,
    Math.min(request.preview.config?.sampling?.max ?? 100, options.limits.rowsMax),
  );
  for (const { path, options: keys } of streams) {
    await sampling.add(options.openStream, Object.fromEntries(keys), {
      path: `${given.path}${path}`,
      rowsMax,
    });
  }
  const { rows, realtime, findings } = sampling;
  return { ...noSample, rows: rows.slice(0, rowsMax), realtime, findings };
}

/** Returns the half of a table that is filled from a stream. */
function realtimeConfigOf({ config, otherConfig }: PreviewRequest): Given<TableConfig> | undefined {
  return [config, otherConfig].find((each) => each?.value.tableType === 'REALTIME');
}

function notAllowed(path: string): Finding {
  const message =
    'This caller may not sample the stream here; give rows of the stream as sourceRows.';
  return { path, code: 'STREAM_NOT_ALLOWED', severity: 'warning', message };
}

/** The sampling of some streams: their rows, and the problems found. */
class StreamSampling {
  readonly rows: SourceRow[] = [];
  readonly findings: Finding[] = [];
  realtime: RealtimeSample = noSample.realtime;
  readonly #options: SampleOptions;
  readonly #bytes: ByteBudget;
  readonly #size: SampleBudget;

  constructor(options: SampleOptions) {
    this.#options = options;
    this.#bytes = new ByteBudget(options.limits.bytesMax);
    this.#size = new SampleBudget(options.limits);
  }

  async add(
    open: NonNullable<SampleOptions['openStream']>,
    config: Readonly<Record<string, string>>,
    { path, rowsMax }: { readonly path: string; readonly rowsMax: number },
  ): Promise<void> {
    const { clock, signal } = this.#options;
    try {
      const { stream, start } = open(config);
      await using _closing = stream;
      const startedMs = clock.monotonicMs();
      const partitions = await stream.readPartitions({ signal });
      this.#count({
        partitionCount: partitions.length,
        metadataFetchTimeMs: Math.round(clock.monotonicMs() - startedMs),
      });
      if (start.at === 'largest' && partitions.length > 0) this.findings.push(beginsAtEnd(path));
      await this.#read(stream, { start, partitions, path, rowsLeft: rowsMax - this.rows.length });
    } catch (error) {
      this.findings.push(this.#findingOf(error, path));
    }
  }

  /** Reads a share from each partition, and fills gaps from the others. */
  async #read(
    stream: MessageStream,
    {
      start,
      partitions,
      path,
      rowsLeft,
    }: {
      readonly start: StreamStart;
      readonly partitions: readonly PartitionOffsets[];
      readonly path: string;
      readonly rowsLeft: number;
    },
  ): Promise<void> {
    const { clock, signal } = this.#options;
    const limits = this.#messageLimits(path);
    const readers: StreamPartition[] = [];
    const failed = new Set<StreamPartition>();
    const chosen = spread(partitions, Math.min(partitionsMax, rowsLeft));
    const share = Math.ceil(rowsLeft / Math.max(1, chosen.length));
    const read = async (reader: StreamPartition, rowCount: number): Promise<void> => {
      try {
        await reader.readUntil(rowCount, limits);
      } catch (error) {
        failed.add(reader);
        if (!(error instanceof SourceProblem)) this.#count({ exceptionCount: 1 });
        this.findings.push(this.#findingOf(error, path));
      }
    };
    for (const { partition, earliestOffset, latestOffset } of chosen) {
      const fromOffset =
        start.at === 'largest'
          ? earliestOffset
          : await findStartOffset(stream, partition, start, { clock, signal });
      readers.push(new StreamPartition(stream, { partition, fromOffset, endOffset: latestOffset }));
    }
    this.#count({ runnableCount: readers.length });
    await Promise.all(readers.map((reader) => read(reader, share)));
    for (const reader of readers) {
      const missing = rowsLeft - readers.reduce((sum, { rows }) => sum + rows.length, 0);
      if (missing > 0 && !reader.isAtEnd && !failed.has(reader)) {
        await read(reader, reader.rows.length + missing);
      }
    }
    for (const row of readers.flatMap(({ rows }) => rows)) {
      const refusal = this.#size.refuse(row);
      if (refusal === undefined) this.rows.push(row);
      else limits.onProblem(refusal.code, `${messageSkipped} ${refusal.message}`);
      if (refusal?.code === 'SIZE_LIMIT') return;
    }
  }

  #messageLimits(path: string): MessageLimits {
    const { limits, signal } = this.#options;
    const counts = new Map<string, number>();
    const onProblem = (code: string, message: string): void => {
      const count = (counts.get(code) ?? 0) + 1;
      counts.set(code, count);
      if (count <= messageFindingsMax) {
        this.findings.push({ path, code, severity: 'warning', message });
      }
    };
    return {
      rowBytesMax: limits.rowBytesMax,
      digitsMax: limits.digitsMax,
      budget: this.#bytes,
      signal,
      onProblem,
    };
  }

  #count(added: Partial<RealtimeSample>): void {
    const { realtime } = this;
    this.realtime = {
      partitionCount: realtime.partitionCount + (added.partitionCount ?? 0),
      runnableCount: realtime.runnableCount + (added.runnableCount ?? 0),
      exceptionCount: realtime.exceptionCount + (added.exceptionCount ?? 0),
      metadataFetchTimeMs: realtime.metadataFetchTimeMs + (added.metadataFetchTimeMs ?? 0),
    };
  }

  /**
   * Converts the failure of a stream to a finding. Aborts by the caller and unexpected errors are
   * thrown.
   */
  #findingOf(error: unknown, path: string): Finding {
    if (error instanceof SourceProblem) {
      return { path, code: error.code, severity: 'warning', message: error.message };
    }
    if (isQuireError(error, 'QUERY_TIMED_OUT')) {
      return { path, code: 'TIME_LIMIT', severity: 'warning', message: error.message };
    }
    if (!isQuireError(error) || error.kind === 'aborted' || error.kind === 'internal') throw error;
    return { path, code: error.code, severity: 'error', message: error.message };
  }
}

/** Returns some elements of a list, from first to last, in order. */
function spread<Element>(elements: readonly Element[], count: number): readonly Element[] {
  if (elements.length <= count) return elements;
  return Array.from(
    { length: count },
    (_, index) => elements[Math.floor((index * elements.length) / count)],
  ).filter((element) => element !== undefined);
}

function beginsAtEnd(path: string): Finding {
  const message =
    'The table starts at the end of the stream; these rows are the oldest ones in the stream.';
  return { path, code: 'STREAM_BEGINS_AT_END', severity: 'info', message };
}

function tooLate(timeoutMs: number): QuireError {
  return new QuireError(
    'QUERY_TIMED_OUT',
    `Reading the stream exceeded ${timeoutMs} ms; the rest is not read.`,
  );
}

/**
 * The maximum number of bytes of one fetch: a partition with few rows must not exceed its share of
 * all bytes.
 */
const fetchBytesMax = 1024 * 1024;

/** The limits of all messages of a sample. */
interface MessageLimits {
  readonly rowBytesMax: number;
  readonly digitsMax: number;
  /** The bytes of messages that may still be read. */
  readonly budget: ByteBudget;
  readonly signal: AbortSignal;
  /** Called with messages that are not rows. */
  readonly onProblem: (code: string, message: string) => void;
}

/** Reads rows of one partition, from an offset to the end that it had when the sample started. */
class StreamPartition {
  readonly rows: SourceRow[] = [];
  readonly #stream: MessageStream;
  readonly #partition: number;
  readonly #endOffset: number;
  #nextOffset: number;

  constructor(
    stream: MessageStream,
    range: { readonly partition: number; readonly fromOffset: number; readonly endOffset: number },
  ) {
    this.#stream = stream;
    this.#partition = range.partition;
    this.#nextOffset = range.fromOffset;
    this.#endOffset = range.endOffset;
  }

  get isAtEnd(): boolean {
    return this.#nextOffset >= this.#endOffset;
  }

  /**
   * Continues to read until there are `rowCount` rows, or no more messages.
   *
   * @throws SourceProblem BYTE_LIMIT when no more bytes may be read
   * @throws STREAM_UNAVAILABLE, STREAM_INVALID, OFFSET_NOT_FOUND as the stream does
   */
  async readUntil(rowCount: number, limits: MessageLimits): Promise<void> {
    const { budget, signal } = limits;
    while (this.rows.length < rowCount && !this.isAtEnd) {
      const messagesMax = rowCount - this.rows.length;
      const fetchLimits = {
        messagesMax,
        bytesMax: Math.max(1, Math.min(fetchBytesMax, budget.left)),
        waitMs: 0,
      };
      const { messages, nextOffset } = await this.#stream.fetch(
        this.#partition,
        this.#nextOffset,
        fetchLimits,
        { signal },
      );
      for (const { offset, value, ...message } of messages) {
        if (offset >= this.#endOffset) continue;
        budget.take(value?.byteLength ?? 0);
        const row = this.#decode({ ...message, offset, value }, limits);
        if (row !== undefined) this.rows.push(row);
      }
      // A stream that returns nothing at the same offset has no more messages for now.
      if (nextOffset === this.#nextOffset) return;
      this.#nextOffset = nextOffset;
    }
  }

  #decode(
    message: Parameters<typeof decodeJson>[0],
    { rowBytesMax, digitsMax, onProblem }: MessageLimits,
  ): SourceRow | undefined {
    const subject = `The message at offset ${message.offset} of partition ${this.#partition}`;
    if ((message.value?.byteLength ?? 0) > rowBytesMax) {
      onProblem(
        'ROW_TOO_LONG',
        `${subject} is longer than ${rowBytesMax} bytes. ${messageSkipped}`,
      );
      return undefined;
    }
    const decoded = decodeJson(message, { digitsMax });
    if ('row' in decoded) return decoded.row;
    onProblem('ROW_UNREADABLE', `${subject} ${decoded.problem}. ${messageSkipped}`);
    return undefined;
  }
}
