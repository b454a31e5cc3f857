import type { SourceValue } from '../row.ts';
import { type TimeEvidence, newTimeEvidence, noteTime } from './time-evidence.ts';

/** Kinds of single values, as inference tells them apart. */
export type ValueKind = 'int' | 'long' | 'huge' | 'double' | 'boolean' | 'text' | 'json' | 'bytes' | 'nested';

/** Everything that is remembered of a column: of one size, however many rows there are. */
export interface ColumnEvidence {
  readonly source: string;
  /** Rows with a value. */
  presentCount: number;
  /** How many values there were of a kind. */
  readonly counts: Map<ValueKind, number>;
  hasLists: boolean;
  /** An integer of more than 53 bits, which a DOUBLE does not hold. */
  hasWideIntegers: boolean;
  /** NaN or an infinity, which a BIG_DECIMAL does not hold. */
  hasInfinities: boolean;
  /** Longest text, in characters. */
  lengthMax: number;
  readonly times: TimeEvidence;
}

export function newColumnEvidence(source: string): ColumnEvidence {
  return {
    source,
    presentCount: 0,
    counts: new Map(),
    hasLists: false,
    hasWideIntegers: false,
    hasInfinities: false,
    lengthMax: 0,
    times: newTimeEvidence(),
  };
}

/** Notes a value of a row that is not null: a single one, or a list of single ones. */
export function noteValue(evidence: ColumnEvidence, value: Exclude<SourceValue, null>): void {
  if (!Array.isArray(value)) {
    evidence.presentCount += 1;
    noteSingle(evidence, value);
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

function noteSingle(evidence: ColumnEvidence, value: SourceValue): void {
  const kind = kindOf(value);
  note(evidence, kind);
  if (typeof value === 'string') evidence.lengthMax = Math.max(evidence.lengthMax, value.length);
  if (typeof value === 'number') evidence.hasInfinities ||= !Number.isFinite(value);
  if (kind === 'long' || kind === 'huge') evidence.hasWideIntegers ||= !Number.isSafeInteger(Number(value));
  noteTime(evidence.times, value);
}

function note(evidence: ColumnEvidence, kind: ValueKind): void {
  evidence.counts.set(kind, (evidence.counts.get(kind) ?? 0) + 1);
}

function kindOf(value: SourceValue): ValueKind {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return isJsonText(value) ? 'json' : 'text';
  if (value instanceof Uint8Array) return 'bytes';
  // Readers of rows make bigints where the source has 64 bits, whatever their value.
  if (typeof value === 'bigint') return value === BigInt.asIntN(64, value) ? 'long' : 'huge';
  if (typeof value !== 'number') return 'nested';
  // Beyond 2^53 a number is a rounded one: rows hold such integers as bigint.
  if (!Number.isSafeInteger(value)) return 'double';
  return value === (value | 0) ? 'int' : 'long';
}

/** Longest text that is looked at for being JSON. */
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
