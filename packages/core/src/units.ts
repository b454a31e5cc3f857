import { QuireError } from './errors.ts';

/** The number of bytes in a mebibyte. */
export const MiB = 1024 * 1024;

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const durationPattern = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/**
 * Parses a duration such as `30s`, `4h30m`, `1d` or `250ms` to milliseconds.
 *
 * @throws INVALID_PARAMETER when the text is anything else, or more than 2^53 - 1 ms
 */
export function parseDurationMs(text: string): number {
  const match = text === '' ? null : durationPattern.exec(text.trim());
  const parts = match?.slice(1) ?? [];
  const units = [unitMs.d, unitMs.h, unitMs.m, unitMs.s, unitMs.ms];
  let totalMs = 0;
  for (const [index, part] of parts.entries()) totalMs += Number(part ?? 0) * (units[index] ?? 0);
  if (
    match === null ||
    parts.every((part) => part === undefined) ||
    !Number.isSafeInteger(totalMs)
  ) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `'${text}' is not a duration; expected for example 30s, 4h30m or 1d.`,
    );
  }
  return totalMs;
}

/** Formats milliseconds the way `parseDurationMs` reads them: 5400000 becomes `1h30m`. */
export function formatDurationMs(durationMs: number): string {
  let restMs = Math.round(durationMs);
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const count = Math.floor(restMs / unitMs[unit]);
    if (count > 0) text += `${count}${unit}`;
    restMs -= count * unitMs[unit];
  }
  return text === '' ? '0s' : text;
}

/** Formats bytes for people, in binary units: 1536 becomes `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = bytes;
  let index = 0;
  while (value >= 1024 && index < units.length - 1) {
    value /= 1024;
    index += 1;
  }
  return `${index === 0 ? value : value.toFixed(value < 10 ? 2 : 1).replace(/\.?0+$/, '')} ${units[index] ?? 'B'}`;
}
