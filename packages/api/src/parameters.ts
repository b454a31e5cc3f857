import { parseDurationMs, QuireError } from '@quire/core/portable';
import type { PageRequest } from '@quire/core/portable';
import {
  type ArrowCodec,
  isArrowCodec,
  isPageFormatName,
  type PageFormatName,
  pageFormatNames,
} from '@quire/core/wire';

/** A query parameter as received by an HTTP server: absent, once, or several times. */
export type RawParameter = string | readonly string[] | undefined;

const integerPattern = /^[0-9]+$/;

/**
 * Parses the offset of a page: an integer ≥ 0. One beyond 2^53 - 1 counts as 2^53 - 1, which is
 * past the end of any result.
 *
 * @throws INVALID_PARAMETER when it is absent, given twice, or not decimal digits
 */
export function parseOffset(value: RawParameter): number {
  const offset = parseIntegerParameter('offset', value);
  if (offset === undefined) {
    throw new QuireError('INVALID_PARAMETER', 'offset is missing; expected an integer ≥ 0.');
  }
  return offset;
}

/** The largest 64-bit integer, which generated clients use. */
const int64Max = 2n ** 63n - 1n;

/**
 * Parses numRows: an integer from 0 to 2^63 - 1.
 *
 * Absent and 0 both give undefined, which means the configured page size. One beyond 2^53 - 1
 * counts as 2^53 - 1, which is all rows of any result.
 *
 * @throws INVALID_PARAMETER when it is given twice, larger, or not decimal digits
 */
export function parseRowCount(value: RawParameter): number | undefined {
  const rowCount = parseIntegerParameter('numRows', value);
  if (rowCount === Number.MAX_SAFE_INTEGER && BigInt(String(value)) > int64Max) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `numRows is ${quote(String(value))}; expected an integer from 0 to ${int64Max}.`,
    );
  }
  return rowCount === 0 ? undefined : rowCount;
}

/**
 * Parses an optional integer ≥ 0; larger ones than 2^53 - 1 are reduced to that.
 *
 * @throws INVALID_PARAMETER when it is given twice, or not decimal digits
 */
export function parseIntegerParameter(name: string, value: RawParameter): number | undefined {
  const text = single(name, value, 'an integer ≥ 0');
  if (text === undefined) return undefined;
  if (!integerPattern.test(text)) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `${name} is ${quote(text)}; expected an integer ≥ 0.`,
    );
  }
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}

/** The largest value of Java's `int`, the type of some of Pinot's parameters. */
const int32Max = 2 ** 31 - 1;

/** Parses a parameter that Pinot parses as an int. @throws INVALID_PARAMETER above 2³¹ − 1 */
export function parseInt32Parameter(name: string, value: RawParameter): number | undefined {
  const parsed = parseIntegerParameter(name, value);
  if (parsed === undefined || parsed <= int32Max) return parsed;
  throw new QuireError(
    'INVALID_PARAMETER',
    `${name} is ${quote(single(name, value, 'an integer') ?? '')}; expected an integer from 0 to ${int32Max}.`,
  );
}

/**
 * Parses the time to wait, such as `500ms` or `2s`.
 *
 * @throws INVALID_PARAMETER when it is given twice, or not a duration
 */
export function parseWaitMs(value: RawParameter): number | undefined {
  const expected = 'a duration such as 500ms or 2s; 0s does not wait';
  const text = single('wait', value, expected);
  if (text === undefined) return undefined;
  try {
    return parseDurationMs(text);
  } catch (cause) {
    throw new QuireError('INVALID_PARAMETER', `wait is ${quote(text)}; expected ${expected}.`, {
      cause,
    });
  }
}

/**
 * Parses an optional boolean: `true` or `false` in any case, `1` or `0`.
 *
 * @throws INVALID_PARAMETER when it is given twice, or has another value
 */
export function parseBooleanParameter(name: string, value: RawParameter): boolean | undefined {
  const text = single(name, value, 'true or false');
  if (text === undefined) return undefined;
  if (/^(?:true|1)$/i.test(text)) return true;
  if (/^(?:false|0)$/i.test(text)) return false;
  throw new QuireError('INVALID_PARAMETER', `${name} is ${quote(text)}; expected true or false.`);
}

/**
 * Parses the optional page format.
 *
 * @throws INVALID_PARAMETER when it is given twice, or not a format
 */
export function parseFormat(value: RawParameter): PageFormatName | undefined {
  const choices = pageFormatNames.join(', ');
  const text = single('format', value, `one of ${choices}`);
  if (text === undefined || isPageFormatName(text)) return text;
  throw new QuireError(
    'INVALID_PARAMETER',
    `format is ${quote(text)}; expected one of ${choices}.`,
  );
}

/**
 * Parses the codecs that the caller supports for Arrow buffers: `zstd`, `lz4` or both, `zstd,lz4`.
 * `none` gives an empty list.
 *
 * @throws INVALID_PARAMETER when it is given twice, or has another value
 */
export function parseArrowCodecs(value: RawParameter): readonly ArrowCodec[] | undefined {
  const expected = 'zstd, lz4, both as zstd,lz4, or none';
  const text = single('compression', value, expected);
  if (text === undefined) return undefined;
  const codecs = text === 'none' ? [] : text.split(',');
  if (codecs.every(isArrowCodec) && new Set(codecs).size === codecs.length) return codecs;
  throw new QuireError('INVALID_PARAMETER', `compression is ${quote(text)}; expected ${expected}.`);
}

/**
 * Parses the option to escape texts that a spreadsheet would interpret as formulas: `escape`, or
 * absent.
 *
 * @throws INVALID_PARAMETER when it is given twice, has another value, or the format is not CSV
 */
export function parseFormulas(value: RawParameter, format: PageFormatName): boolean {
  const text = single('formulas', value, 'escape');
  if (text === undefined) return false;
  if (text !== 'escape') {
    throw new QuireError('INVALID_PARAMETER', `formulas is ${quote(text)}; expected escape.`);
  }
  if (format === 'csv') return true;
  throw new QuireError(
    'INVALID_PARAMETER',
    `formulas is 'escape' with the format ${format}; only csv supports it.`,
  );
}

/** Formats a page as the query parameters that request it: `offset=20000&numRows=10000`. */
export function formatPageParameters(page: PageRequest): string {
  return `offset=${page.offset}&numRows=${page.rowCount}`;
}

function single(name: string, value: RawParameter, expected: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  if (value.length <= 1) return value[0];
  throw new QuireError(
    'INVALID_PARAMETER',
    `${name} is given ${value.length} times; expected ${expected}, once.`,
  );
}

/** Returns a value for display in a message: quoted and shortened to a line. */
function quote(text: string): string {
  return text.length <= 40 ? `'${text}'` : `'${text.slice(0, 40)}…'`;
}
