import { isRequestId, QuireError } from '@quire/core';
import { arrowCodecs, type PageFormatName, pageFormatNames } from '@quire/core/wire';
import type { BufferCodec, Compression } from './arrow/buffer-codec.ts';
import { isBrokerId } from './layout.ts';
import type { ResultStoreOptions } from './result-store-options.ts';

/**
 * The largest duration: the range of a `Date` before 1970. The sum with any future time is exact
 * and has 16 digits.
 */
const durationMsMax = 8_640_000_000_000_000;
const compressions: readonly Compression[] = ['none', 'zstd', 'lz4'];

/**
 * Checks the options of a result store.
 *
 * @throws INVALID_PARAMETER for the first option that is not valid
 */
export function checkStoreOptions(options: ResultStoreOptions): void {
  if (!isBrokerId(options.brokerId)) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `brokerId '${options.brokerId}' must be letters, digits, '_', '.' or '-'.`,
    );
  }
  const { compression, batchSizeBytes, cacheBytesMax, resultBytesMax, stalenessMaxMs } = options;
  checkDurationMs('expirationMs', options.expirationMs);
  checkDurationMs('expirationMaxMs', options.expirationMaxMs);
  if (stalenessMaxMs !== undefined) {
    checkInteger('stalenessMaxMs', stalenessMaxMs, 0, durationMsMax);
  }
  if (compression !== undefined) checkChoice('compression', compression, compressions);
  if (batchSizeBytes !== undefined) checkInteger('batchSizeBytes', batchSizeBytes, 1);
  if (cacheBytesMax !== undefined) checkInteger('cacheBytesMax', cacheBytesMax, 0);
  if (resultBytesMax !== undefined && resultBytesMax !== Number.POSITIVE_INFINITY) {
    checkInteger('resultBytesMax', resultBytesMax, 0);
  }
}

/**
 * Checks the options of a new result.
 *
 * @throws INVALID_PARAMETER when one is not valid
 */
export function checkCreateOptions({
  owner,
  requestId,
}: {
  readonly owner: string;
  readonly requestId?: string;
}): void {
  if (typeof owner !== 'string') throw invalid('owner', owner, 'the name of a principal');
  if (requestId !== undefined && !isRequestId(requestId)) {
    throw invalid('requestId', requestId, 'a UUID of version 7 in lower case');
  }
}

/**
 * Checks a duration.
 *
 * @throws INVALID_PARAMETER when it is not a valid integer: results would get names that no listing
 *   shows
 */
export function checkDurationMs(name: string, value: number): void {
  checkInteger(name, value, 1, durationMsMax);
}

/**
 * Checks a time.
 *
 * @throws INVALID_PARAMETER when it is not valid
 */
export function checkTimeMs(name: string, value: number): void {
  checkInteger(name, value, Number.MIN_SAFE_INTEGER);
}

/**
 * Checks the name of a format.
 *
 * @throws INVALID_PARAMETER when there is no such format
 */
export function checkFormat(format: PageFormatName): void {
  checkChoice('format', format, pageFormatNames);
}

/**
 * Checks a list of codecs.
 *
 * @throws INVALID_PARAMETER when there is no such codec
 */
export function checkCodecs(codecs: readonly BufferCodec[]): void {
  for (const codec of codecs) checkChoice('codecs', codec, arrowCodecs);
}

function checkInteger(
  name: string,
  value: unknown,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): void {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return;
  throw invalid(name, value, `an integer from ${min} to ${max}`);
}

function checkChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (typeof value === 'string' && choices.includes(value)) return;
  const quoted = choices.map((choice) => `'${choice}'`);
  throw invalid(name, value, `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`);
}

function invalid(name: string, value: unknown, expected: string): QuireError {
  const shown = typeof value === 'string' ? `'${value}'` : String(value);
  return new QuireError('INVALID_PARAMETER', `${name} is ${shown}; expected ${expected}.`);
}
