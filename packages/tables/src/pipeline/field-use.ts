import type { SourceRow } from '../row.ts';
import { delimiterHint } from '../sources/formats/csv-options.ts';
import { columnsOfSchema } from './column-spec.ts';
import { type PipelineOptions, planPipeline } from './plan-pipeline.ts';
import type { PipelineRow } from './run-pipeline.ts';

/** The maximum number of names in a message. */
const namesMax = 10;

/**
 * Finds sources of rows that a table cannot use: they have fields, but none that the table reads,
 * and no column has a value from elsewhere, as with a wrong delimiter of a CSV file.
 */
export class FieldUse {
  /** The fields of source rows that the table reads; undefined once one of them was seen. */
  #reads: ReadonlySet<string> | undefined;
  readonly #columns: readonly string[];
  #unread: readonly string[] = [];

  constructor(options: PipelineOptions) {
    this.#reads = planPipeline(options).reads;
    this.#columns = columnsOfSchema(options.schema).columns.map(({ name }) => name);
  }

  /** Adds source rows, and the rows that the table would store. */
  add(sources: readonly SourceRow[], stored: readonly PipelineRow[]): void {
    const reads = this.#reads;
    if (reads === undefined) return;
    const isUsed =
      sources.some((row) => Object.keys(row).some((name) => reads.has(name))) ||
      stored.some(({ nullFields }) => nullFields.length < this.#columns.length);
    if (isUsed) this.#reads = undefined;
    else if (this.#unread.length === 0) {
      this.#unread = sources.map((row) => Object.keys(row)).find(({ length }) => length > 0) ?? [];
    }
  }

  /** A sentence about rows that cannot be used; undefined if there are none. */
  get problem(): string | undefined {
    if (this.#reads === undefined || this.#unread.length === 0) return undefined;
    const delimiter = delimiterHint(this.#unread);
    const hint = delimiter === undefined ? '' : ` ${delimiter}`;
    return `None of the fields is a column of the table: a row has ${listed(this.#unread)}; the table has ${listed(this.#columns)}.${hint}`;
  }
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).map((name) => `'${name.slice(0, 60)}'`);
  return `${shown.join(', ')}${names.length > namesMax ? ' and others' : ''}`;
}
