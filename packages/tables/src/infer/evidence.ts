import { isQuireError } from '@quire/core';
import { parseDateTimeFormat, readInFormat } from '../expressions/index.ts';
import type { SourceValue } from '../row.ts';

/** The kinds of single values that inference distinguishes. */
export type ValueKind =
  | 'int'
  | 'long'
  | 'huge'
  | 'double'
  | 'decimal'
  | 'boolean'
  | 'text'
  | 'json'
  | 'bytes'
  | 'nested';

/** The evidence about a column; its size is independent of the number of rows. */
export interface ColumnEvidence {
  readonly source: string;
  /** The number of rows with a value. */
  presentCount: number;
  /** The number of values of each kind. */
  readonly counts: Map<ValueKind, number>;
  hasLists: boolean;
  /** True if a DOUBLE may lose digits: for a decimal, or an integer of more than 53 bits. */
  needsDigits: boolean;
  /** True if there is NaN or an infinity, which a BIG_DECIMAL cannot represent. */
  hasInfinities: boolean;
  /** The length of the longest text, in characters. */
  lengthMax: number;
  readonly times: TimeEvidence;
}

export function newColumnEvidence(source: string): ColumnEvidence {
  return {
    source,
    presentCount: 0,
    counts: new Map(),
    hasLists: false,
    needsDigits: false,
    hasInfinities: false,
    lengthMax: 0,
    times: { fitting: undefined, ranges: new Map() },
  };
}

/**
 * Adds a value of a row that is not null: a single value, or a list of single values.
 *
 * @param declared the kind of single values that do not show it: decimals that are text, and
 *   doubles that are whole
 */
export function noteValue(
  evidence: ColumnEvidence,
  value: Exclude<SourceValue, null>,
  declared?: 'decimal' | 'double',
): void {
  if (!Array.isArray(value)) {
    evidence.presentCount += 1;
    noteSingle(evidence, value, declared);
    return;
  }
  const elements = (value as readonly SourceValue[]).filter((element) => element !== null);
  if (elements.length === 0) return;
  evidence.presentCount += 1;
  if (elements.some((element) => typeof element === 'object' && !(element instanceof Uint8Array))) {
    note(evidence, 'nested');
    noteTime(evidence.times, elements);
    return;
  }
  evidence.hasLists = true;
  for (const element of elements) noteSingle(evidence, element);
}

function noteSingle(
  evidence: ColumnEvidence,
  value: SourceValue,
  declared?: 'decimal' | 'double',
): void {
  // The same field may be other text in another file.
  const isDigits =
    declared === 'decimal' && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
  const isDouble = declared === 'double';
  const kind = isDigits ? 'decimal' : isDouble ? 'double' : kindOf(value);
  note(evidence, kind);
  if (typeof value === 'string') evidence.lengthMax = Math.max(evidence.lengthMax, value.length);
  if (typeof value === 'number') evidence.hasInfinities ||= !Number.isFinite(value);
  if (kind === 'long' || kind === 'huge') {
    evidence.needsDigits ||= !Number.isSafeInteger(Number(value));
  }
  evidence.needsDigits ||= isDigits;
  noteTime(evidence.times, isDigits || isDouble ? null : value);
}

function note(evidence: ColumnEvidence, kind: ValueKind): void {
  evidence.counts.set(kind, (evidence.counts.get(kind) ?? 0) + 1);
}

function kindOf(value: SourceValue): ValueKind {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return isJsonText(value) ? 'json' : 'text';
  if (value instanceof Uint8Array) return 'bytes';
  // Readers of rows create bigints for 64-bit integers, whatever their value.
  if (typeof value === 'bigint') return value === BigInt.asIntN(64, value) ? 'long' : 'huge';
  if (typeof value !== 'number') return 'nested';
  // A larger number has been rounded: in rows, such integers are bigints.
  if (!Number.isSafeInteger(value)) return 'double';
  return value === (value | 0) ? 'int' : 'long';
}

/** The maximum length of a text that is checked for JSON. */
const jsonLengthMax = 100_000;

function isJsonText(text: string): boolean {
  if (!/^\s*[{[]/.test(text) || text.length > jsonLengthMax) return false;
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return false;
  }
}

/** The formats of times that match every value so far, and the range of the times. */
export interface TimeEvidence {
  /** The formats that match; undefined before the first value. */
  fitting: readonly TimeFormat[] | undefined;
  /** The earliest and the latest instant of each matching format, in epoch milliseconds. */
  readonly ranges: Map<string, { minMs: number; maxMs: number }>;
}

/** A format by which date-time columns are recognized. */
export interface TimeFormat {
  /** The format as in a schema. */
  readonly format: string;
  readonly granularity: string;
  readonly dataType: 'LONG' | 'INT' | 'STRING' | 'TIMESTAMP';
  /** The pattern that the value must match: that of a text or of the digits of an integer. */
  readonly shape: RegExp;
  readonly kind: 'text' | 'integer';
  /** Matches names of such columns; texts are recognized without it. */
  readonly names?: RegExp;
}

const timeNames =
  /(^|[._ -])(ts|time|timestamp|date|datetime|epoch|created|updated|modified|when)|(time|date|timestamp|at|ts|millis|ms|secs|seconds|micros|nanos|epoch)$/i;
const dayNames = /epoch[._-]?days?|days?[._-]?since[._-]?epoch/i;
const dateNames = /(date|day|dt|ymd)/i;

/** Every format, from the most specific to the least. */
const timeFormats: readonly TimeFormat[] = [
  {
    format: 'TIMESTAMP',
    granularity: 'MILLISECONDS|1',
    dataType: 'TIMESTAMP',
    kind: 'text',
    // No more than three digits of a second: TIMESTAMP has milliseconds.
    shape: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3}0*)?)?(Z|[+-]\d{2}(:?\d{2})?)?$/,
  },
  date('yyyy-MM-dd', /^\d{4}-\d{2}-\d{2}$/),
  date('yyyy/MM/dd', /^\d{4}\/\d{2}\/\d{2}$/),
  date('yyyyMMdd', /^(19|20)\d{6}$/),
  epoch('MILLISECONDS', /^\d{12,13}$/, timeNames),
  epoch('SECONDS', /^\d{9,10}$/, timeNames),
  epoch('MICROSECONDS', /^\d{15,16}$/, timeNames),
  epoch('NANOSECONDS', /^\d{18,19}$/, timeNames),
  epoch('DAYS', /^\d{4,5}$/, dayNames),
  { ...date('yyyyMMdd', /^(19|20)\d{6}$/), dataType: 'INT', kind: 'integer', names: dateNames },
];

/** The range of recognized times; numbers outside of it are rarely times. */
const earliestMs = Date.UTC(1980, 0, 1);
const latestMs = Date.UTC(2071, 0, 1);

/** Removes the formats that do not match this value. */
function noteTime(evidence: TimeEvidence, value: SourceValue): void {
  const candidates: readonly TimeFormat[] = evidence.fitting ?? timeFormats;
  if (candidates.length === 0) return;
  const isInteger = typeof value === 'number' || typeof value === 'bigint';
  const kind = isInteger ? 'integer' : 'text';
  const shown = isInteger || typeof value === 'string' ? String(value) : '';
  evidence.fitting = candidates.filter((candidate) => {
    const epochMs =
      candidate.kind === kind && candidate.shape.test(shown)
        ? instantOf(shown, candidate)
        : undefined;
    if (epochMs === undefined) return false;
    const key = keyOf(candidate);
    const range = evidence.ranges.get(key);
    evidence.ranges.set(key, {
      minMs: Math.min(range?.minMs ?? epochMs, epochMs),
      maxMs: Math.max(range?.maxMs ?? epochMs, epochMs),
    });
    return true;
  });
}

/** Returns the format of a time column with this name; undefined if it is not one. */
export function recognizeTime(evidence: TimeEvidence, name: string): TimeFormat | undefined {
  return evidence.fitting?.find((candidate) => candidate.names?.test(name) ?? true);
}

/** Returns the range of the times of a column. */
export function timeRangeOf(
  evidence: TimeEvidence,
  format: TimeFormat,
): { readonly minMs: number; readonly maxMs: number } | undefined {
  return evidence.ranges.get(keyOf(format));
}

function instantOf(shown: string, { kind, format }: TimeFormat): number | undefined {
  try {
    const epochMs = readInFormat(shown, parseDateTimeFormat(format), 2000);
    const isPlausible = kind === 'text' || (epochMs >= earliestMs && epochMs < latestMs);
    return isPlausible ? epochMs : undefined;
  } catch (error) {
    if (!isQuireError(error, 'EXPRESSION_FAILED')) throw error;
    return undefined;
  }
}

function keyOf({ kind, format }: TimeFormat): string {
  return `${kind} ${format}`;
}

function date(pattern: string, shape: RegExp): TimeFormat {
  return {
    format: `SIMPLE_DATE_FORMAT|${pattern}`,
    granularity: 'DAYS|1',
    dataType: 'STRING',
    shape,
    kind: 'text',
  };
}

function epoch(unit: string, shape: RegExp, names: RegExp): TimeFormat {
  return {
    format: `EPOCH|${unit}|1`,
    granularity: `${unit}|1`,
    dataType: 'LONG',
    shape,
    kind: 'integer',
    names,
  };
}
