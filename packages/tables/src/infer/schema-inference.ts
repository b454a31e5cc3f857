import type { SourceRow, SourceValue } from '../row.ts';
import type { FieldSpec, TableSchema } from '../config/table-schema.ts';
import { Decimal } from '../expressions/index.ts';
import { type ColumnEvidence, newColumnEvidence, noteValue } from './evidence.ts';
import { decideColumn, type InferredColumn } from './decide-column.ts';

/** The options of schema inference. */
export interface InferenceOptions {
  readonly schemaName?: string;
  /** The delimiter of the names of nested fields; a dot by default. */
  readonly delimiter?: string;
  /** True if texts are parsed as numbers and booleans, as required for rows of CSV. */
  readonly readsText?: boolean;
  /** The fields whose texts are decimals, as in files that have a type for them. */
  readonly decimals?: ReadonlySet<string>;
  /** The maximum number of columns that are inferred. */
  readonly columnsMax?: number;
}

/** The reason for an inferred or chosen part. */
export interface Explanation {
  /** JSON pointer into the schema or the config. */
  readonly path: string;
  /** The reason, as a sentence. */
  readonly message: string;
}

/** An inferred schema, with its reasons. */
export interface InferredSchema {
  readonly schema: TableSchema;
  readonly explanations: readonly Explanation[];
  readonly columns: readonly InferredColumn[];
  readonly rowCount: number;
  /** True if rows contain objects, which are flattened, or lists of them, which become JSON. */
  readonly hasNested: boolean;
}

/**
 * Infers a schema from all rows, one at a time, with a state of fixed size for each column.
 *
 * Types do not depend on the order of rows; columns are in the order of their first appearance.
 */
export class SchemaInference {
  readonly #columns = new Map<string, ColumnEvidence>();
  readonly #options: Required<InferenceOptions>;
  #rowCount = 0;
  #hasNested = false;
  #leftOutCount = 0;

  constructor(options: InferenceOptions = {}) {
    this.#options = {
      schemaName: 'table',
      delimiter: '.',
      readsText: false,
      decimals: new Set(),
      columnsMax: 2000,
      ...options,
    };
  }

  add(row: SourceRow): void {
    this.#rowCount += 1;
    this.#hasNested =
      flattenRow(row, this.#options.delimiter, (name, value) => this.#note(name, value)) ||
      this.#hasNested;
  }

  finish(): InferredSchema {
    // Fields whose names are valid keep them, so that no other column hides their values.
    const taken = new Set(
      [...this.#columns.values()]
        .filter(({ source, counts }) => counts.size > 0 && validNameOf(source) === source)
        .map(({ source }) => source),
    );
    const columns = [...this.#columns.values()].flatMap((evidence) => {
      const { source } = evidence;
      const name = taken.has(source) ? source : columnNameFor(source, taken);
      const column = decideColumn(evidence, name, this.#rowCount);
      if (column === undefined) return [];
      taken.add(name);
      return [column];
    });
    const unknown = [...this.#columns.values()]
      .filter(({ counts }) => counts.size === 0)
      .map(({ source }) => source);
    return {
      schema: schemaOf(columns, this.#options.schemaName),
      explanations: [...explain(columns), ...this.#explainLeftOut(unknown)],
      columns,
      rowCount: this.#rowCount,
      hasNested:
        this.#hasNested || [...this.#columns.values()].some(({ counts }) => counts.has('nested')),
    };
  }

  #note(name: string, value: SourceValue): void {
    let evidence = this.#columns.get(name);
    if (evidence === undefined) {
      if (this.#columns.size >= this.#options.columnsMax) {
        this.#leftOutCount += 1;
        return;
      }
      evidence = newColumnEvidence(name);
      this.#columns.set(name, evidence);
    }
    const read =
      this.#options.readsText && typeof value === 'string' ? readTypedText(value) : value;
    if (read === null) return;
    // A column of integers would refuse 1.0 and 1e5.
    const isDouble = typeof value === 'string' && typeof read === 'number' && /[.e]/i.test(value);
    const kind = isDouble ? 'double' : this.#options.decimals.has(name) ? 'decimal' : undefined;
    noteValue(evidence, read, kind);
  }

  #explainLeftOut(unknown: readonly string[]): readonly Explanation[] {
    const messages = [
      ...(unknown.length === 0
        ? []
        : [`Omitted, because they have no value in any row: ${unknown.join(', ')}.`]),
      ...(this.#leftOutCount === 0
        ? []
        : [`Only the first ${this.#options.columnsMax} columns are in the schema.`]),
    ];
    return messages.map((message) => ({ path: '', message }));
  }
}

/** Infers a schema from rows; see `SchemaInference`. */
export function inferSchema(
  rows: Iterable<SourceRow>,
  options: InferenceOptions = {},
): InferredSchema {
  const inference = new SchemaInference(options);
  for (const row of rows) inference.add(row);
  return inference.finish();
}

const listOf = {
  dimension: 'dimensionFieldSpecs',
  metric: 'metricFieldSpecs',
  dateTime: 'dateTimeFieldSpecs',
} as const;

function schemaOf(columns: readonly InferredColumn[], schemaName: string): TableSchema {
  const specsOf = (kind: InferredColumn['kind']) =>
    columns.filter((column) => column.kind === kind);
  return {
    schemaName,
    enableColumnBasedNullHandling: true,
    dimensionFieldSpecs: specsOf('dimension').map(specOf),
    metricFieldSpecs: specsOf('metric').map(specOf),
    dateTimeFieldSpecs: specsOf('dateTime').map((column) => ({
      ...specOf(column),
      ...(column.time !== undefined && {
        format: column.time.format.format,
        granularity: column.time.format.granularity,
      }),
    })),
  };
}

/** The maximum length of a text that columns hold by default. */
const lengthMaxDefault = 512;

function specOf({
  name,
  dataType,
  isMultiValue,
  isNullable,
  lengthMax,
}: InferredColumn): FieldSpec {
  return {
    name,
    dataType,
    singleValueField: !isMultiValue,
    notNull: !isNullable,
    // Twice the observed length, rounded up to a power of two: later rows may be longer, and longer
    // values are truncated.
    ...(dataType === 'STRING' &&
      lengthMax > lengthMaxDefault && { maxLength: 2 ** Math.ceil(Math.log2(lengthMax) + 1) }),
  };
}

function explain(columns: readonly InferredColumn[]): readonly Explanation[] {
  const counts = { dimension: 0, metric: 0, dateTime: 0 };
  return columns.map(({ kind, name, source, dataType, isMultiValue, isNullable, reason }) => {
    const path = `/${listOf[kind]}/${counts[kind]}`;
    counts[kind] += 1;
    const renamed =
      name === source ? '' : ` Its field is ‘${source}’, which cannot be the name of a column.`;
    const nulls = isNullable ? ' It has no value in some rows.' : '';
    return {
      path,
      message: `${name} is ${isMultiValue ? 'multi-value ' : ''}${dataType}. ${reason}${nulls}${renamed}`,
    };
  });
}

/** Returns a valid column name for a field: without white space and leading $. */
function validNameOf(field: string): string {
  return field.trim().replaceAll(/\s+/g, '_').replace(/^\$+/, '') || 'column';
}

/** Returns a valid, unused column name for a field. */
function columnNameFor(field: string, taken: ReadonlySet<string>): string {
  const name = validNameOf(field);
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}

/** The maximum nesting depth of objects that are flattened; deeper fields are ignored. */
const depthMax = 100;

/**
 * Emits every field of a row under its path, joined by the delimiter, as the pipeline flattens it.
 * Returns whether there were objects.
 */
function flattenRow(
  row: SourceRow,
  delimiter: string,
  emit: (name: string, value: SourceValue) => void,
): boolean {
  let hasNested = false;
  const visit = (prefix: string, fields: SourceRow, depth: number): void => {
    for (const [name, value] of Object.entries(fields)) {
      if (!isFields(value)) emit(`${prefix}${name}`, value);
      else {
        hasNested = true;
        if (depth < depthMax) visit(`${prefix}${name}${delimiter}`, value, depth + 1);
      }
    }
  };
  visit('', row, 0);
  return hasNested;
}

function isFields(value: SourceValue): value is SourceRow {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array)
  );
}

/**
 * Parses the text of a CSV cell: a number, true or false, or null if it is empty. Anything else
 * remains text, including texts that would not be written back identically, such as 007, and
 * numbers with more digits than a DOUBLE keeps.
 */
function readTypedText(text: string): SourceValue {
  if (text === '') return null;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (/^-?(0|[1-9]\d{0,99})$/.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }
  const isNumber = /^-?(0|[1-9]\d{0,17})\.\d{1,17}$|^-?\d(\.\d{1,17})?[eE][+-]?\d{1,2}$/.test(text);
  return isNumber && isDouble(text) ? Number(text) : text;
}

/**
 * Reports whether a double, written with as many digits as a number, has the same ones. Many
 * programs write 17 digits, as in 0.10000000000000001.
 */
function isDouble(text: string): boolean {
  const { unscaled } = Decimal.parse(text).withoutTrailingZeros();
  const digitCount = String(unscaled).replace('-', '').length;
  const [given, kept] = [text, Number(text).toPrecision(digitCount)].map((each) =>
    Decimal.parse(each).withoutTrailingZeros().toString(),
  );
  return given === kept;
}
