import { Readable, type Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { Decimal } from '../../expressions/index.ts';
import { nestingMax } from '../../model/document.ts';
import type { SourceRow, SourceValue } from '../../row.ts';
import { type ByteBudget, type SourceFile, SourceProblem } from '../source-file.ts';
import type { CsvOptions } from './csv-options.ts';
import { isZstdFrame, splitAtFrames } from './zstd-frames.ts';

/** The effect of a row that cannot be read, in a message. */
export const rowSkipped = 'The row is skipped.';

/** The input and limits of reading rows. */
export interface RowReading {
  readonly file: SourceFile;
  /** The maximum number of rows to read. */
  readonly rowsMax: number;
  readonly rowBytesMax: number;
  /** The maximum number of digits of an integer; a row with a longer integer is omitted. */
  readonly digitsMax: number;
  readonly budget: ByteBudget;
  readonly signal: AbortSignal;
  readonly csv: CsvOptions;
  /**
   * Called with a row that cannot be read, while reading continues: the reason, and the effect on
   * the rows that are read.
   */
  readonly onProblem: (code: string, reason: string, effect: string) => void;
  /** Called with the names of columns of decimals, whose values may be text. */
  readonly onDecimals?: ((names: readonly string[]) => void) | undefined;
}

/**
 * Reads the first rows of a file. @throws SourceProblem when it cannot be read further; earlier
 * rows are valid
 */
export type RowReader = (reading: RowReading) => AsyncIterable<SourceRow>;

export type Compression = 'gzip' | 'zstd' | 'none';

/** Detects the compression of a file by its first bytes. */
export function compressionOf(head: Uint8Array): Compression {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  return isZstdFrame(head) ? 'zstd' : 'none';
}

/**
 * Streams the bytes of a file, decompressed, and subtracts each chunk from the budget: the
 * expansion of a small file is never in memory as a whole.
 *
 * @throws SourceProblem when it cannot be decompressed, or the budget is exhausted
 */
export async function* fileBytes(
  reading: RowReading,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  const { file, signal, budget } = reading;
  const bytes = file.read({ signal });
  for await (const chunk of compression === 'none'
    ? bytes
    : decompress(bytes, compression, file.uri)) {
    budget.take(chunk.length);
    yield chunk;
  }
}

/** Returns bytes `[start, end)` of a file. @throws SourceProblem when it has fewer */
export async function readRange(
  { file, signal, budget }: RowReading,
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer>> {
  budget.take(end - start);
  const bytes = new Uint8Array(end - start);
  let position = 0;
  if (end > start) {
    for await (const chunk of file.read({ range: { start, end }, signal })) {
      bytes.set(chunk, position);
      position += chunk.length;
    }
  }
  if (position < bytes.length) {
    throw new SourceProblem('FILE_CORRUPT', `${file.uri} is shorter than its listed size.`);
  }
  return bytes;
}

async function* decompress(
  bytes: AsyncIterable<Uint8Array>,
  compression: 'gzip' | 'zstd',
  uri: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* compression === 'gzip'
      ? through<Uint8Array>(bytes, createGunzip())
      : through<Uint8Array>(splitAtFrames(bytes), createZstdDecompress());
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw new SourceProblem(
      'FILE_CORRUPT',
      `${uri} cannot be decompressed by ${compression} to its end: ${error.message}.`,
      { cause: error },
    );
  }
}

/** Yields the output of a transform of bytes. Both are closed, however reading ends. */
export async function* through<Output>(
  bytes: AsyncIterable<Uint8Array>,
  transform: Transform,
): AsyncGenerator<Output> {
  const source = Readable.from(bytes, { objectMode: false });
  source.on('error', (error) => transform.destroy(error));
  source.pipe(transform);
  try {
    yield* transform as AsyncIterable<Output>;
  } finally {
    transform.destroy();
    source.destroy();
  }
}

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(Z_|ZSTD_|ERR_)/.test(String(error.code));
}

/** Returns the first bytes of a file, raw and decompressed, to detect its format. */
export async function readHead(
  reading: RowReading,
  countMax: number,
): Promise<{ readonly raw: Uint8Array; readonly plain: Uint8Array }> {
  const end = Math.min(countMax, reading.file.sizeBytes);
  const raw =
    end === 0
      ? new Uint8Array(0)
      : await collect(reading.file.read({ range: { start: 0, end }, signal: reading.signal }), end);
  const compression = compressionOf(raw);
  if (compression === 'none') return { raw, plain: raw };
  const bytes = reading.file.read({ signal: reading.signal });
  return { raw, plain: await collect(decompress(bytes, compression, reading.file.uri), countMax) };
}

async function collect(bytes: AsyncIterable<Uint8Array>, countMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    count += chunk.length;
    if (count >= countMax) break;
  }
  return Buffer.concat(chunks).subarray(0, countMax);
}

/** Refuses values that are nested deeper than a row may be. @throws SourceProblem ROW_TOO_DEEP */
export function assertDepth(depth: number): void {
  if (depth > nestingMax) {
    throw new SourceProblem('ROW_TOO_DEEP', `A row is nested more than ${nestingMax} levels deep.`);
  }
}

/**
 * Converts a library's value to a value of a row: lists, maps and typed arrays to lists and
 * objects, times to text.
 *
 * @param depth its number of enclosing lists and objects
 * @throws SourceProblem ROW_TOO_DEEP
 */
export function plainValue(value: unknown, depth: number): SourceValue {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') {
    return typeof value === 'symbol' || typeof value === 'function' ? null : (value as SourceValue);
  }
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? null : textOfTimestamp(value.getTime(), 3);
  }
  if (value instanceof Uint8Array) return value;
  assertDepth(depth);
  const inner = (each: unknown): SourceValue => plainValue(each, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<unknown>, inner);
  if (value instanceof Map) {
    return Object.fromEntries(Array.from(value, ([name, member]) => [String(name), inner(member)]));
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inner(member)]));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes one text of a binary format. Unlike the decoders of the libraries, it replaces no bytes,
 * and keeps a U+FEFF at the start, which belongs to the text.
 *
 * @throws Error when it is not UTF-8
 */
export function textOfUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Error('a text has bytes that are not UTF-8', { cause });
  }
}

/** Formats a decimal, given its digits in two's complement. */
export function textOfDecimal(bits: bigint, bitCount: number, scale: number): string {
  return new Decimal(BigInt.asIntN(bitCount, bits), scale).toPlainString();
}

const dayMs = 86_400_000;
const yearRange = { min: -8_640_000_000_000_000n, max: 8_640_000_000_000_000n };

/** Formats a day since 1970 as `yyyy-MM-dd`. */
export function textOfDate(days: number): string {
  const epochMs = days * dayMs;
  return Math.abs(epochMs) > Number(yearRange.max)
    ? String(days)
    : new Date(epochMs).toISOString().slice(0, -14);
}

/** The first instant of the Gregorian calendar. */
const gregorianStartMs = BigInt(Date.UTC(1582, 9, 15));

/**
 * Formats units since 1970, `10^digits` of them per second, as `yyyy-MM-dd HH:mm:ss.f` in UTC;
 * trailing zeros are removed down to milliseconds. Instants before 1582-10-15 are in ISO 8601,
 * because a TIMESTAMP in the other form is Julian before that day.
 */
export function textOfTimestamp(value: bigint | number, digits: 3 | 6 | 9): string {
  const perSecond = 10n ** BigInt(digits);
  const units = BigInt(value);
  const fraction = ((units % perSecond) + perSecond) % perSecond;
  const epochMs = ((units - fraction) / perSecond) * 1000n;
  if (epochMs < yearRange.min || epochMs > yearRange.max) return String(value);
  const seconds = new Date(Number(epochMs)).toISOString().slice(0, -5);
  const shown = String(fraction)
    .padStart(digits, '0')
    .replace(/^(\d{3}\d*?)0+$/, '$1');
  return epochMs < gregorianStartMs
    ? `${seconds}.${shown}Z`
    : `${seconds.replace('T', ' ')}.${shown}`;
}
