import { expressionFailed } from './expression-error.ts';
import { Decimal, Float, Timestamp, typeOf, type Value, WholeDouble } from './value.ts';
import { textOfDouble, textOfFloat } from './text.ts';

/**
 * A parameter that TypeScript's library does not declare yet:
 * https://tc39.es/proposal-json-parse-with-source.
 */
interface ReviverContext {
  readonly source?: string;
}

const integerPattern = /^-?\d+$/;

/**
 * The maximum nesting depth of a value that is parsed from or written as JSON, as in Apache Pinot's
 * parser.
 */
const jsonDepthMax = 1_000;

/**
 * Parses JSON with the types that Apache Pinot gives to numbers: whole numbers are integers of any
 * length, others doubles. Text after the first value is ignored, as in Apache Pinot.
 *
 * @throws EXPRESSION_FAILED when the text does not start with JSON, or its value is nested more
 *   than 1,000 deep
 */
export function parseJson(text: string): Value {
  return parse(text, reviveNumber, hasExactNumber);
}

/**
 * Parses JSON in the same way, with every fractional number as an exact decimal, without trailing
 * zeros.
 */
export function parseExactJson(text: string): Value {
  return parse(text, reviveDecimal, (given) => /[.eE]|\d{16}/.test(given));
}

function parse(
  text: string,
  revive: typeof reviveNumber,
  needsRevival: (text: string) => boolean,
): Value {
  if (isNestedTooDeep(text)) {
    throw expressionFailed(`JSON is nested more than ${jsonDepthMax} levels deep.`);
  }
  try {
    // A reviver is called for every value and costs several times as much as parsing: most texts do
    // not need it.
    return (needsRevival(text) ? JSON.parse(text, revive) : JSON.parse(text)) as Value;
  } catch (error) {
    const end = endOfFirstValue(text);
    if (end > 0 && end < text.length) return parse(text.slice(0, end), revive, needsRevival);
    throw expressionFailed(
      `Not JSON: ‘${text.length > 40 ? `${text.slice(0, 40)}…` : text}’.`,
      error,
    );
  }
}

/**
 * Reports whether a text may have numbers that JSON.parse would change: of 16 digits or more, with
 * an exponent, or doubles that are whole. A loop takes less time than a pattern.
 */
function hasExactNumber(text: string): boolean {
  let digitCount = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= codes.zero && code <= codes.nine) {
      digitCount += 1;
      if (digitCount === 16) return true;
      continue;
    }
    if (digitCount > 0 && (code === codes.exponent || code === codes.capitalExponent)) return true;
    if (code === codes.point && hasOnlyZeros(text, at + 1)) return true;
    digitCount = 0;
  }
  return false;
}

/** Reports whether the digits from `start` on, at least one, are all zero. */
function hasOnlyZeros(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) === codes.zero) at += 1;
  const code = text.charCodeAt(at);
  return at > start && !(code >= codes.zero && code <= codes.nine);
}

/**
 * Reports whether the lists and objects of a text are nested more than 1,000 levels deep: later
 * steps recurse over them on the stack.
 */
function isNestedTooDeep(text: string): boolean {
  // Each level takes two characters, so most texts need not be scanned.
  if (text.length <= 2 * jsonDepthMax) return false;
  let [depth, isInText] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInText) {
      if (code === codes.backslash) at += 1;
      else if (code === codes.quote) isInText = false;
    } else if (code === codes.quote) isInText = true;
    else if (code === codes.openBrace || code === codes.openBracket) {
      depth += 1;
      if (depth > jsonDepthMax) return true;
    } else if (code === codes.closeBrace || code === codes.closeBracket) {
      depth -= 1;
      // Text after the first value is ignored.
      if (depth <= 0) return false;
    }
  }
  return false;
}

const codes = {
  quote: 34,
  point: 46,
  zero: 48,
  nine: 57,
  capitalExponent: 69,
  exponent: 101,
  backslash: 92,
  openBracket: 91,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125,
} as const;

/**
 * Returns the end of the first value of a text, if it is a list, an object or a text; 0 if it
 * cannot be found.
 */
function endOfFirstValue(text: string): number {
  let [depth, isInText] = [0, false];
  for (let at = text.search(/\S/); at >= 0 && at < text.length; at += 1) {
    const character = text[at];
    if (isInText) {
      if (character === '\\') at += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (depth === 0 && /\s/.test(character ?? '')) return at;
    if (depth === 0 && !isInText && /["}\]]/.test(character ?? '')) return at + 1;
  }
  return 0;
}

/**
 * Writes a value as JSON like Apache Pinot does: numbers as in Java, bytes as base64, NaN and the
 * infinities as texts.
 *
 * @throws EXPRESSION_FAILED when it is nested more than 1,000 levels deep
 */
export function writeJson(value: Value): string {
  return write(value, 0);
}

function write(value: Value, depth: number): string {
  if (depth > jsonDepthMax) {
    throw expressionFailed(`A value is nested more than ${jsonDepthMax} levels deep.`);
  }
  if (typeof value === 'string') {
    return JSON.stringify(value).replaceAll(
      /(?<!\\)((?:\\\\)*\\u00)([01][a-f])/g,
      (_, start: string, digits: string) => start + digits.toUpperCase(),
    );
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return `"${value}"`;
    return typeOf(value) === 'DOUBLE' ? textOfDouble(value) : String(value);
  }
  if (value === null || typeof value !== 'object') return String(value);
  if (value instanceof WholeDouble) return textOfDouble(value.value);
  if (value instanceof Float) {
    return Number.isFinite(value.value) ? textOfFloat(value.value) : `"${value.value}"`;
  }
  if (value instanceof Decimal) return value.toString();
  if (value instanceof Timestamp) return String(value.epochMs);
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (Array.isArray(value)) {
    return `[${(value as readonly Value[]).map((each) => write(each, depth + 1)).join(',')}]`;
  }
  return `{${Object.entries(value)
    .map(([name, member]) => `${write(name, depth)}:${write(member, depth + 1)}`)
    .join(',')}}`;
}

function reviveNumber(_name: string, value: unknown, ...rest: unknown[]): unknown {
  if (typeof value !== 'number') return value;
  const source = (rest[0] as ReviverContext | undefined)?.source ?? '';
  if (integerPattern.test(source)) {
    if (Number.isSafeInteger(value)) return value;
    // A longer number would be infinite as a double.
    if (source.length > 310) return value;
    const whole = BigInt(source);
    return BigInt.asIntN(64, whole) === whole ? whole : new Decimal(whole, 0);
  }
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? new WholeDouble(value) : value;
}

function reviveDecimal(name: string, value: unknown, ...rest: unknown[]): unknown {
  if (typeof value !== 'number') return value;
  const source = (rest[0] as ReviverContext | undefined)?.source ?? '';
  return integerPattern.test(source)
    ? reviveNumber(name, value, ...rest)
    : Decimal.parse(source).withoutTrailingZeros();
}
