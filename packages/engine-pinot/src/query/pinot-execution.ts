import { type Clock, QuireError, type QueryExecution, type QueryStatistics } from '@quire/core';
import type { RecordBatch, Schema } from 'apache-arrow';
import { parse } from '../answer/parse-json.ts';
import type { AnswerPart } from '../answer/read-answer.ts';
import { RowReader } from '../answer/row-reader.ts';
import type { BytesText } from '../answer/column-builder.ts';
import { failureOf, type PinotException } from './query-failure.ts';
import type { QueryStop } from './query-stop.ts';
import { statisticsOf } from './query-statistics.ts';

export interface ExecutionParts {
  readonly answer: AsyncGenerator<AnswerPart>;
  readonly stop: QueryStop;
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly bytesText: BytesText;
  readonly onClosed: () => void;
}

/** A query whose answer is being received from a broker. */
export class PinotExecution implements QueryExecution {
  readonly schema: Schema;
  readonly batches: AsyncIterable<RecordBatch>;
  readonly #parts: ExecutionParts;
  readonly #rows: RowReader;
  readonly #members: Map<string, unknown>;
  #finishedAtMs: number | undefined;

  private constructor(parts: ExecutionParts, rows: RowReader, members: Map<string, unknown>) {
    this.#parts = parts;
    this.#rows = rows;
    this.#members = members;
    this.schema = rows.schema;
    this.batches = this.#read();
  }

  /**
   * Resolves once the columns of the answer are known.
   *
   * @throws the errors that the exceptions of an answer without columns represent
   */
  static async open(parts: ExecutionParts): Promise<PinotExecution> {
    const members = new Map<string, unknown>();
    for (
      let next = await parts.answer.next();
      next.done !== true;
      next = await parts.answer.next()
    ) {
      const part = next.value;
      if (part.kind === 'columns') {
        return new PinotExecution(parts, new RowReader(part.columns, parts.bytesText), members);
      }
      if (part.kind === 'rows') {
        throw new QuireError('UNEXPECTED_RESPONSE', 'Apache Pinot sent rows before their columns.');
      }
      members.set(part.name, parse(part.text));
    }
    throw (
      failureIn(members) ??
      new QuireError('QUERY_FAILED', 'Apache Pinot sent neither columns nor an exception.')
    );
  }

  statistics(): QueryStatistics {
    const { clock, startedAtMs } = this.#parts;
    return statisticsOf(this.#members, (this.#finishedAtMs ?? clock.monotonicMs()) - startedAtMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('The reader of the query stopped.');
  }

  async *#read(): AsyncGenerator<RecordBatch, void, void> {
    const { answer, stop } = this.#parts;
    try {
      for (let next = await answer.next(); next.done !== true; next = await answer.next()) {
        if (stop.reason !== undefined) throw stop.reason;
        const part = next.value;
        if (part.kind === 'rows') yield* this.#rows.read(part);
        else if (part.kind === 'member') this.#members.set(part.name, parse(part.text));
      }
      if (stop.reason !== undefined) throw stop.reason;
      // The errors of the rows follow them.
      const failure = failureIn(this.#members);
      if (failure !== undefined) throw failure;
    } finally {
      await this.#end('The reader stopped before the last batch.');
    }
  }

  async #end(message: string): Promise<void> {
    const { answer, clock, stop, onClosed } = this.#parts;
    this.#finishedAtMs ??= clock.monotonicMs();
    stop.stop(new QuireError('ABORTED', message));
    await answer.return(undefined);
    onClosed();
  }
}

function failureIn(members: ReadonlyMap<string, unknown>): QuireError | undefined {
  const exceptions = members.get('exceptions');
  return Array.isArray(exceptions) && exceptions.length > 0
    ? failureOf(exceptions as readonly PinotException[])
    : undefined;
}
