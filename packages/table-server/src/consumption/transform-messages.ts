import type { Clock } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import { decodeJson } from '@quire/streams';
import type { MessageValue } from './packed-messages.ts';
import {
  parseTableConfig,
  parseTableSchema,
  type PipelineRow,
  runPipeline,
  type SourceRow,
} from '@quire/tables';

/** A message that could not be turned into a row. */
export interface BadMessage {
  readonly offset: number;
  /** A sentence without its subject: `is not JSON: …`. */
  readonly problem: string;
}

export interface TransformedMessages {
  /**
   * The rows of the messages, in order. If a bad message stops consumption, only those before it.
   */
  readonly rows: readonly PipelineRow[];
  /** The messages that were skipped. */
  readonly skipped: readonly BadMessage[];
  /** The message that stops consumption. */
  readonly stoppedAt: BadMessage | undefined;
}

export interface TransformOptions {
  readonly config: TableConfigDocument;
  readonly schema: TableSchemaDocument;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs messages through the pipeline of a table. A bad message is skipped or stops consumption,
 * depending on `continueOnError`.
 */
export async function transformMessages(
  messages: Iterable<MessageValue>,
  options: TransformOptions,
): Promise<TransformedMessages> {
  const { config } = parseTableConfig(options.config);
  const { schema } = parseTableSchema(options.schema);
  const { clock, signal } = options;
  const decoded: SourceRow[] = [];
  const offsets: number[] = [];
  const bad: BadMessage[] = [];
  for (const message of messages) {
    const result = decodeJson({ ...message, key: null, timestampMs: null });
    if ('problem' in result) {
      bad.push({ offset: message.offset, problem: result.problem });
    } else {
      decoded.push(result.row);
      offsets.push(message.offset);
    }
  }
  const result = await runPipeline(decoded, {
    config,
    schema,
    clock,
    ...(signal !== undefined && { signal }),
    examplesMax: 0,
    droppedMax: Infinity,
  });
  for (const { kind, sourceIndex, column, reason } of result.dropped) {
    const where = column === undefined ? '' : `, column ${column}`;
    if (kind === 'failed') {
      bad.push({
        offset: offsets[sourceIndex] ?? 0,
        problem: `cannot be ingested${where}: ${reason}`,
      });
    }
  }
  bad.sort((left, right) => left.offset - right.offset);
  if (config.ingestionConfig?.continueOnError === true) {
    return { rows: result.rows, skipped: bad, stoppedAt: undefined };
  }
  const [first] = bad;
  if (first === undefined) return { rows: result.rows, skipped: [], stoppedAt: undefined };
  const rows = result.rows.filter(
    ({ sourceIndex }) => (offsets[sourceIndex] ?? Infinity) < first.offset,
  );
  return { rows, skipped: [], stoppedAt: first };
}
