import { type Clock, isQuireError, throwIfAborted } from '@quire/core';
import { TimeSlice } from '@quire/core/wait';
import type { Finding } from '../finding.ts';
import type { SourceRow } from '../row.ts';
import { type Change, Journal, type StepJournal, type StepName } from './journal.ts';
import { havePlainTypes, PlainRowReader } from './plain-row-reader.ts';
import { type PipelineOptions, type PlainColumns, planPipeline } from './plan-pipeline.ts';
import { RowMaker } from './row-maker.ts';
import { SizeBudget, SizeLimitReached, type WorkingRow } from './working-row.ts';
import type { Step } from './step.ts';

/** The options of a run, and the limits of its report. */
export interface RunOptions extends Omit<PipelineOptions, 'budget'> {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** The maximum number of examples of each change that are kept. */
  readonly examplesMax?: number;
  /** The maximum number of dropped rows that are reported. */
  readonly droppedMax?: number;
  /**
   * The maximum number of bytes of all values that are created from the rows; rows beyond it are
   * omitted. Unlimited by default.
   */
  readonly createdBytesMax?: number | undefined;
}

/** A row as the table would store it. */
export interface PipelineRow {
  /** The index of its source row, from 0. */
  readonly sourceIndex: number;
  /** The values to store, by column, in an object that inherits no members. */
  readonly fields: SourceRow;
  /** Columns that have their default because they had no value. */
  readonly nullFields: readonly string[];
  readonly isIncomplete: boolean;
  readonly isSanitized: boolean;
}

/** A dropped row, with the step and the reason. */
export interface DroppedRow {
  readonly sourceIndex: number;
  readonly step: StepName;
  readonly kind: 'filtered' | 'failed';
  readonly column?: string;
  readonly reason: string;
}

/** Numbers of rows; `rows + filtered + failed = read + unnested`. */
export interface PipelineCounts {
  readonly read: number;
  /** Rows beyond one for each row of the source. */
  readonly unnested: number;
  readonly filtered: number;
  readonly failed: number;
  readonly incomplete: number;
  readonly sanitized: number;
}

/** The resulting rows, and the changes by its steps. */
export interface PipelineResult {
  readonly rows: readonly PipelineRow[];
  /** The first of the dropped rows. */
  readonly dropped: readonly DroppedRow[];
  /** The changes of each step by column. */
  readonly changes: readonly Change[];
  readonly counts: PipelineCounts;
  readonly findings: readonly Finding[];
  /** Set if the remaining rows are omitted because their values would be too large. */
  readonly sizeLimit?: { readonly bytesMax: number };
}

const examplesMaxDefault = 20;
const droppedMaxDefault = 1_000;
const noNames: readonly string[] = Object.freeze([]);
const reasonLengthMax = 1_000;

/**
 * Runs rows through the pipeline of a table, in order, and explains the changes.
 *
 * Deterministic except for the clock. Yields to other work every few milliseconds.
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

/** The rows that one source row became, and those that were dropped. */
export type TakenRow = Pick<PipelineResult, 'rows' | 'dropped'>;

/** A pipeline that takes one row at a time, for callers that do not collect them. */
export interface OpenPipeline {
  /** Runs a row through all steps. An error of a step fails this row only. */
  take(row: SourceRow): TakenRow;
  /** A reader of rows that no step would change; undefined if steps may change any row. */
  readonly plainRows: PlainRowReader | undefined;
}

/** Opens a pipeline for single rows. It has no limit of bytes, and keeps no examples of changes. */
export function openPipeline(options: Omit<PipelineOptions, 'budget'>): OpenPipeline {
  const budget = new SizeBudget();
  const { steps, flat, plain } = planPipeline({ ...options, budget });
  const newRun = (): PipelineRun =>
    new PipelineRun(steps, {
      rows: new RowMaker(flat, budget),
      journal: new Journal(0, budget),
      droppedMax: Infinity,
    });
  const run = newRun();
  return {
    take(row) {
      run.take(row);
      return run.drain();
    },
    plainRows: plain && plainReader(plain, newRun()),
  };
}

/** Returns a reader for plain rows; the defaults of absent columns are those of an empty row. */
function plainReader(
  { columns, timeColumn }: PlainColumns,
  run: PipelineRun,
): PlainRowReader | undefined {
  if (!havePlainTypes(columns)) return undefined;
  run.take({});
  const [empty] = run.drain().rows;
  return new PlainRowReader(
    columns.map((spec) => {
      // The default of the time column may be the current time.
      const isOptional = empty !== undefined && spec !== timeColumn;
      return { spec, absentValue: isOptional ? (empty.fields[spec.name] ?? null) : undefined };
    }),
  );
}

/** Returns the reason why a row failed, as a sentence. */
function reasonOf(error: unknown): string {
  if (isQuireError(error, 'EXPRESSION_FAILED')) return error.message;
  return `The row cannot be processed: ${error instanceof Error ? error.message.replace(/\.$/, '') : String(error)}.`;
}

/** One run: the rows so far, the dropped ones, and the journal. */
class PipelineRun {
  readonly #steps: readonly { readonly step: Step; readonly journal: StepJournal }[];
  readonly #journal: Journal;
  #rows: PipelineRow[] = [];
  #dropped: DroppedRow[] = [];
  readonly #maker: RowMaker;
  readonly #droppedMax: number;
  #counts = { read: 0, unnested: 0, filtered: 0, failed: 0, incomplete: 0, sanitized: 0 };
  #sizeLimit: SizeLimitReached | undefined;
  /** The step that currently processes a row. */
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
   * Runs a row through all steps. Returns false if its values would be too large: then the row is
   * not counted. An error of a step fails this row only.
   */
  take(source: SourceRow): boolean {
    // Separate variables, since a copy of the object would be garbage with every row.
    const { read, unnested, filtered, failed, incomplete, sanitized } = this.#counts;
    const keptCount = this.#rows.length;
    const droppedCount = this.#dropped.length;
    this.#step = undefined;
    try {
      this.#takeThrough(source);
      return true;
    } catch (error) {
      this.#counts = { read, unnested, filtered, failed, incomplete, sanitized };
      this.#rows.length = keptCount;
      this.#dropped.length = droppedCount;
      if (!(error instanceof SizeLimitReached)) return this.#fail(error);
      this.#sizeLimit = error;
      return false;
    }
  }

  /** Returns the rows and the dropped ones since the last call. */
  drain(): TakenRow {
    const taken = { rows: this.#rows, dropped: this.#dropped };
    this.#rows = [];
    this.#dropped = [];
    return taken;
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

  /** Continues with the rows that a step returned. Not used in the usual case of a single row. */
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
    // Values are plain after the last step.
    this.#rows.push({
      sourceIndex,
      fields: fields as SourceRow,
      nullFields: nullFields.length === 0 ? noNames : nullFields,
      isIncomplete,
      isSanitized,
    });
  }
}
