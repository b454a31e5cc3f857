import { type Clock, isQuireError, throwIfAborted } from '@quire/core';
import { TimeSlice } from '@quire/core/wait';
import type { Finding } from '../finding.ts';
import type { SourceRow } from '../row.ts';
import { type Change, Journal, type StepJournal, type StepName } from './journal.ts';
import { type PipelineOptions, planPipeline } from './plan-pipeline.ts';
import { RowMaker } from './row-maker.ts';
import { SizeBudget, SizeLimitReached, type WorkingRow } from './working-row.ts';
import type { Step } from './step.ts';

/** How the pipeline runs over rows, and how much of it is told. */
export interface RunOptions extends Omit<PipelineOptions, 'budget'> {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** How many examples of each change are kept. */
  readonly examplesMax?: number;
  /** How many of the rows that are not kept are told of. */
  readonly droppedMax?: number;
  /**
   * Most bytes of all values that are made of the rows; what comes behind them is left out. By
   * default as many as it takes.
   */
  readonly createdBytesMax?: number | undefined;
}

/** A row as the table would hold it. */
export interface PipelineRow {
  /** Which row of the source it comes from, counted from 0. */
  readonly sourceIndex: number;
  /** What the table would hold, by column: its own members, and none that it inherits. */
  readonly fields: SourceRow;
  /** Columns whose value is the default because there was none. */
  readonly nullFields: readonly string[];
  readonly isIncomplete: boolean;
  readonly isSanitized: boolean;
}

/** A row that is not kept: by which step, and why. */
export interface DroppedRow {
  readonly sourceIndex: number;
  readonly step: StepName;
  readonly kind: 'filtered' | 'failed';
  readonly column?: string;
  readonly reason: string;
}

/** How many rows; `rows + filtered + failed = read + unnested`. */
export interface PipelineCounts {
  readonly read: number;
  /** Rows beyond one of each row of the source. */
  readonly unnested: number;
  readonly filtered: number;
  readonly failed: number;
  readonly incomplete: number;
  readonly sanitized: number;
}

/** The rows that came out of the pipeline, and what its steps did. */
export interface PipelineResult {
  readonly rows: readonly PipelineRow[];
  /** The first of the rows that are not kept. */
  readonly dropped: readonly DroppedRow[];
  /** What each step did to each column. */
  readonly changes: readonly Change[];
  readonly counts: PipelineCounts;
  readonly findings: readonly Finding[];
  /**
   * Set where the rows behind those that were read are left out, since their values would be too
   * large.
   */
  readonly sizeLimit?: { readonly bytesMax: number };
}

const examplesMaxDefault = 20;
const droppedMaxDefault = 1_000;
const noNames: readonly string[] = Object.freeze([]);
const reasonLengthMax = 1_000;

/**
 * Takes rows through the pipeline of a table, in their order, and explains what happened to them.
 *
 * Deterministic but for the clock. Works in slices of a few milliseconds, between which others run.
 *
 * @throws ABORTED when the signal is aborted
 */
export async function runPipeline(
  rows: Iterable<SourceRow> | AsyncIterable<SourceRow>,
  {
    signal,
    examplesMax = examplesMaxDefault,
    droppedMax = droppedMaxDefault,
    createdBytesMax,
    ...options
  }: RunOptions,
): Promise<PipelineResult> {
  const { clock } = options;
  const budget = new SizeBudget(createdBytesMax);
  const { steps, flat, findings } = planPipeline({ ...options, budget });
  const run = new PipelineRun(steps, {
    rows: new RowMaker(flat, budget),
    journal: new Journal(examplesMax, budget),
    droppedMax,
  });
  const slice = new TimeSlice(clock, signal);
  if (Symbol.asyncIterator in rows) {
    for await (const row of rows) {
      if (!run.take(row)) break;
      if (slice.isDue) await slice.yield();
    }
  } else {
    // Awaiting each row of an array would cost more than most steps.
    for (const row of rows) {
      if (!run.take(row)) break;
      if (slice.isDue) await slice.yield();
    }
  }
  throwIfAborted(signal);
  return run.finish(findings);
}

/** Why a row failed, as a sentence. */
function reasonOf(error: unknown): string {
  if (isQuireError(error, 'EXPRESSION_FAILED')) return error.message;
  return `The row cannot be worked with: ${error instanceof Error ? error.message.replace(/\.$/, '') : String(error)}.`;
}

/** One run: the rows so far, what happened to the others, and the journal. */
class PipelineRun {
  readonly #steps: readonly { readonly step: Step; readonly journal: StepJournal }[];
  readonly #journal: Journal;
  readonly #rows: PipelineRow[] = [];
  readonly #dropped: DroppedRow[] = [];
  readonly #maker: RowMaker;
  readonly #droppedMax: number;
  #counts = { read: 0, unnested: 0, filtered: 0, failed: 0, incomplete: 0, sanitized: 0 };
  #sizeLimit: SizeLimitReached | undefined;
  /** The step that a row is in. */
  #step: Step | undefined;

  constructor(
    steps: readonly Step[],
    {
      rows,
      journal,
      droppedMax,
    }: { readonly rows: RowMaker; readonly journal: Journal; readonly droppedMax: number },
  ) {
    this.#maker = rows;
    this.#droppedMax = droppedMax;
    this.#journal = journal;
    this.#steps = steps.map((step) => ({ step, journal: journal.forStep(step.name) }));
  }

  /**
   * Takes a row through all steps; false when its values would be too large: then it is as if it
   * had never come. Whatever a step throws is the failure of this row, and says nothing about the
   * others.
   */
  take(source: SourceRow): boolean {
    const before = { ...this.#counts };
    const [keptCount, droppedCount] = [this.#rows.length, this.#dropped.length];
    this.#step = undefined;
    try {
      this.#takeThrough(source);
      return true;
    } catch (error) {
      this.#counts = before;
      this.#rows.length = keptCount;
      this.#dropped.length = droppedCount;
      if (!(error instanceof SizeLimitReached)) return this.#fail(error);
      this.#sizeLimit = error;
      return false;
    }
  }

  #fail(error: unknown): true {
    const reason = reasonOf(error);
    const sourceIndex = this.#counts.read;
    this.#counts.read += 1;
    this.#counts.failed += 1;
    const step = this.#step?.name ?? this.#steps[0]?.step.name ?? 'projection';
    this.#drop({ sourceIndex, step, kind: 'failed', reason });
    return true;
  }

  #takeThrough(source: SourceRow): void {
    let row = this.#maker.make(this.#counts.read, source);
    this.#counts.read += 1;
    let index = 0;
    for (const { step, journal } of this.#steps) {
      this.#step = step;
      const rows = step.apply(row, journal);
      const [only] = rows;
      if (rows.length !== 1 || only === undefined || only.failure !== undefined) {
        return this.#takeRest(rows, index);
      }
      row = only;
      index += 1;
    }
    this.#keep(row);
  }

  /**
   * Goes on with what a step has made of a row: nearly always one row, for which all this need not
   * be asked.
   */
  #takeRest(made: readonly WorkingRow[], from: number): void {
    let [rows, before] = [made, 1];
    for (let index = from; ; index += 1) {
      const { step, journal } = this.#steps[index] ?? {};
      if (step === undefined || journal === undefined) break;
      this.#step = step;
      if (index > from) {
        before = rows.length;
        rows = rows.flatMap((row) => step.apply(row, journal));
      }
      if (rows.length > before) this.#counts.unnested += rows.length - before;
      else if (rows.length < before) this.#filter(step, before - rows.length);
      rows = rows.filter((row) => !this.#hasFailed(step, row));
      if (rows.length === 0) return;
    }
    for (const row of rows) this.#keep(row);
  }

  finish(findings: readonly Finding[]): PipelineResult {
    const { read, unnested, filtered, failed, incomplete, sanitized } = this.#counts;
    const counts = { read, unnested, filtered, failed, incomplete, sanitized };
    return {
      rows: this.#rows,
      dropped: this.#dropped,
      changes: this.#journal.changes(),
      counts,
      findings,
      ...(this.#sizeLimit !== undefined && { sizeLimit: { bytesMax: this.#sizeLimit.bytesMax } }),
    };
  }

  #filter(step: Step, count: number): void {
    this.#counts.filtered += count;
    for (let index = 0; index < count; index += 1) {
      this.#drop({
        sourceIndex: this.#counts.read - 1,
        step: step.name,
        kind: 'filtered',
        reason: 'the filter is true',
      });
    }
  }

  #hasFailed(step: Step, { failure, sourceIndex }: WorkingRow): boolean {
    if (failure === undefined) return false;
    const { column, reason } = failure;
    this.#counts.failed += 1;
    this.#drop({
      sourceIndex,
      step: step.name,
      kind: 'failed',
      reason,
      ...(column === '' ? {} : { column }),
    });
    return true;
  }

  #drop(row: DroppedRow): void {
    if (this.#dropped.length >= this.#droppedMax) return;
    const { reason } = row;
    this.#dropped.push(
      reason.length > reasonLengthMax
        ? { ...row, reason: `${reason.slice(0, reasonLengthMax)}…` }
        : row,
    );
  }

  #keep({ sourceIndex, fields, nullFields, isIncomplete, isSanitized }: WorkingRow): void {
    if (isIncomplete) this.#counts.incomplete += 1;
    if (isSanitized) this.#counts.sanitized += 1;
    // Behind the last step values are plain.
    this.#rows.push({
      sourceIndex,
      fields: fields as SourceRow,
      nullFields: nullFields.length === 0 ? noNames : nullFields,
      isIncomplete,
      isSanitized,
    });
  }
}
