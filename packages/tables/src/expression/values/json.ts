import type { SourceValue } from '../../row.ts';
import { expressionFailed } from '../expression-error.ts';
import { hexOf } from './bytes.ts';
import { parseLong } from './integer.ts';

/** TypeScript's library does not know this parameter yet: https://tc39.es/proposal-json-parse-with-source. */
interface ReviverContext {
  readonly source?: string;
}

const longDigitsPattern = /\d{16}/;
const integerPattern = /^-?\d+$/;

/** Deepest nesting of a value that is written as JSON. */
const jsonDepthMax = 1_000;

/**
 * Reads JSON without losing a digit of a 64-bit integer: one beyond ±(2^53 - 1) becomes a bigint.
 *
 * @throws EXPRESSION_FAILED when the text is not JSON
 */
export function parseJson(text: string): SourceValue {
  try {
    // A reviver is called for every value and costs several times the parse: most texts do not need it.
    return (longDigitsPattern.test(text) ? JSON.parse(text, reviveInteger) : JSON.parse(text)) as SourceValue;
  } catch (error) {
    throw expressionFailed(`Not JSON: ‘${text.length > 40 ? `${text.slice(0, 40)}…` : text}’.`, error);
  }
}

/**
 * Writes a value as JSON, integers with all their digits, bytes as hex, NaN and the infinities as texts.
 *
 * @throws EXPRESSION_FAILED when it is nested more than 1,000 deep
 */
export function writeJson(value: SourceValue): string {
  // The runtime's writer is several times as fast, and right for all but the values that need ours.
  return isPlain(value, 0) ? JSON.stringify(value) : write(value);
}

function write(value: SourceValue): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return JSON.stringify(String(value));
  if (value instanceof Uint8Array) return JSON.stringify(hexOf(value));
  if (Array.isArray(value)) return `[${(value as readonly SourceValue[]).map(write).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value as Readonly<Record<string, SourceValue>>);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
}

function isPlain(value: SourceValue, depth: number): boolean {
  if (depth > jsonDepthMax) throw expressionFailed(`A value is nested more than ${jsonDepthMax} deep.`);
  if (typeof value === 'bigint' || value instanceof Uint8Array) return false;
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value !== 'object') return true;
  let plain = true;
  // All members are looked at, so that the depth of each is known.
  for (const member of Object.values(value as Readonly<Record<string, SourceValue>>)) {
    if (!isPlain(member, depth + 1)) plain = false;
  }
  return plain;
}

function reviveInteger(_name: string, value: unknown, ...rest: unknown[]): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = (rest[0] as ReviverContext | undefined)?.source;
  return source !== undefined && integerPattern.test(source) ? (parseLong(source) ?? value) : value;
}
