import type { DataType } from '../config/table-schema.ts';
import {
  type ColumnEvidence,
  recognizeTime,
  type TimeFormat,
  timeRangeOf,
  type ValueKind,
} from './evidence.ts';

/** An inferred column, and the reasons. */
export interface InferredColumn {
  /** The name in the schema. */
  readonly name: string;
  /** The name in the rows; it differs if it cannot be the name of a column. */
  readonly source: string;
  readonly kind: 'dimension' | 'metric' | 'dateTime';
  readonly dataType: DataType;
  readonly isMultiValue: boolean;
  readonly isNullable: boolean;
  readonly time:
    | { readonly format: TimeFormat; readonly minMs: number; readonly maxMs: number }
    | undefined;
  /** The length of the longest text, in characters. */
  readonly lengthMax: number;
  /** The reasons, in a sentence. */
  readonly reason: string;
}

/** Infers a column from the evidence in all rows; undefined if it never had a value. */
export function decideColumn(
  evidence: ColumnEvidence,
  name: string,
  rowCount: number,
): InferredColumn | undefined {
  if (evidence.counts.size === 0) return undefined;
  const isNullable = evidence.presentCount < rowCount;
  const isMultiValue = evidence.hasLists && !evidence.counts.has('nested');
  const common = {
    name,
    source: evidence.source,
    isNullable,
    isMultiValue,
    lengthMax: evidence.lengthMax,
  };
  const format = isMultiValue ? undefined : recognizeTime(evidence.times, evidence.source);
  if (format !== undefined) {
    const range = timeRangeOf(evidence.times, format) ?? { minMs: 0, maxMs: 0 };
    const span = `${dayOf(range.minMs)} to ${dayOf(range.maxMs)}`;
    const reason = `Every value is a time in the format ${format.format} from ${span}${format.names === undefined ? '' : ', and the name indicates one'}.`;
    return {
      ...common,
      kind: 'dateTime',
      dataType: format.dataType,
      time: { format, ...range },
      reason,
    };
  }
  const { dataType, reason } = widen(evidence, isMultiValue);
  const isFraction = dataType === 'DOUBLE' || dataType === 'BIG_DECIMAL';
  const kind = isFraction && !isMultiValue && !coordinateNames.test(name) ? 'metric' : 'dimension';
  return { ...common, kind, dataType, time: undefined, reason };
}

/** Matches names of columns with fractions that are never summed. */
const coordinateNames = /(^|[._-])(lat|lon|lng|latitude|longitude)$/i;

const numberKinds: readonly ValueKind[] = ['int', 'long', 'huge', 'double', 'decimal'];

/**
 * Returns the narrowest type that holds every value: INT, LONG, DOUBLE or BIG_DECIMAL, STRING;
 * other types do not widen.
 */
function widen(
  evidence: ColumnEvidence,
  isMultiValue: boolean,
): { readonly dataType: DataType; readonly reason: string } {
  const kinds = [...evidence.counts.keys()];
  const each = isMultiValue ? 'Every element of its lists' : 'Every value';
  const has = (kind: ValueKind): boolean => kinds.includes(kind);
  const only = (...allowed: ValueKind[]): boolean => kinds.every((kind) => allowed.includes(kind));
  if (only('int')) return { dataType: 'INT', reason: `${each} is an integer of 32 bits.` };
  if (only('int', 'long')) return { dataType: 'LONG', reason: `${each} is an integer of 64 bits.` };
  if (only('decimal')) return { dataType: 'BIG_DECIMAL', reason: `${each} is a decimal.` };
  if (only(...numberKinds)) {
    return widenFractions(evidence, each, has('double') || has('decimal'), isMultiValue);
  }
  if (only('boolean')) return { dataType: 'BOOLEAN', reason: `${each} is true or false.` };
  if (only('bytes')) return { dataType: 'BYTES', reason: `${each} is a sequence of bytes.` };
  if (only('json') && !isMultiValue) {
    return { dataType: 'JSON', reason: 'Every value is text that contains a JSON object or list.' };
  }
  // A column of JSON values can represent a list of scalars, but not a single text.
  if (has('nested') && (evidence.hasLists || !has('text'))) {
    return {
      dataType: 'JSON',
      reason: 'It contains lists of objects or lists, which are stored as JSON.',
    };
  }
  if (only('text', 'json')) return { dataType: 'STRING', reason: `${each} is text.` };
  const counts = [...evidence.counts].map(([kind, count]) => `${kind} (${count})`).toSorted();
  return {
    dataType: 'STRING',
    reason: `Its values are of several kinds, which only text can represent: ${counts.join(', ')}.`,
  };
}

function widenFractions(
  evidence: ColumnEvidence,
  each: string,
  hasFractions: boolean,
  isMultiValue: boolean,
): { dataType: DataType; reason: string } {
  const needsDigits = evidence.needsDigits && !evidence.hasInfinities;
  // There are no multi-value columns of BIG_DECIMAL.
  if (needsDigits && isMultiValue) {
    return {
      dataType: 'STRING',
      reason: `${each} is a number; some have more digits than a DOUBLE keeps.`,
    };
  }
  if (needsDigits && hasFractions) {
    return {
      dataType: 'BIG_DECIMAL',
      reason: `${each} is a number; some have more digits than a DOUBLE keeps.`,
    };
  }
  if (needsDigits) {
    return {
      dataType: 'BIG_DECIMAL',
      reason: `${each} is an integer; some have more than 64 bits.`,
    };
  }
  return { dataType: 'DOUBLE', reason: `${each} is a number, and some have fractions.` };
}

function dayOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}
