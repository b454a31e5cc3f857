import { isIP } from 'node:net';
import { isQuireError } from '../errors.ts';
import { formatDurationMs, MiB, parseDurationMs } from '../units.ts';

/** How values of one kind are read from text, shown again and described. */
export interface SettingKind<Value> {
  /** The allowed values in words that complete "expected …". */
  readonly allowed: string;
  /**
   * The value, or undefined when the text is not allowed. `baseDir` is what relative paths start
   * from.
   */
  parse(text: string, baseDir: string): Value | undefined;
  /** A text that `parse` reads as this value. */
  format(value: Value): string;
}

/** A whole number from `min` to `max`. */
export function integer(min: number, max: number): SettingKind<number> {
  return {
    allowed: `an integer from ${min} to ${max}`,
    parse: (text) =>
      /^\d{1,16}$/.test(text) && Number(text) >= min && Number(text) <= max
        ? Number(text)
        : undefined,
    format: String,
  };
}

/** A TCP port; 0 lets the system choose a free one. */
export const port: SettingKind<number> = {
  ...integer(0, 65535),
  allowed: 'a port from 0 (any free one) to 65535',
};

/** A name that may be a part of object keys. */
export const name: SettingKind<string> = {
  allowed:
    'a name of 1 to 255 letters, digits, `_`, `.` and `-`, the first one a letter, a digit or `_`',
  parse: (text) => (/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$/.test(text) ? text : undefined),
  format: String,
};

const unitBytes = { KB: 1024, MB: MiB } as const;

/** A size written as a whole number of the unit that ends its key; the value is in bytes. */
export function size(unit: keyof typeof unitBytes, min: number, max: number): SettingKind<number> {
  const count = integer(min, max);
  return {
    allowed: `${count.allowed}, in ${unit}`,
    parse: (text) => {
      const value = count.parse(text, '');
      return value === undefined ? undefined : value * unitBytes[unit];
    },
    format: (bytes) => String(bytes / unitBytes[unit]),
  };
}

/**
 * As `size`, where 0 means no limit; the value is then Infinity, so that comparisons need no
 * special case.
 */
export function sizeOrUnlimited(unit: keyof typeof unitBytes, max: number): SettingKind<number> {
  const limited = size(unit, 0, max);
  return {
    allowed: `${limited.allowed}; 0 means no limit`,
    parse: (text) => {
      const bytes = limited.parse(text, '');
      return bytes === 0 ? Number.POSITIVE_INFINITY : bytes;
    },
    format: (bytes) => (bytes === Number.POSITIVE_INFINITY ? '0' : limited.format(bytes)),
  };
}

/**
 * A whole number up to `max`, where 0 means no limit; the value is then Infinity, so that
 * comparisons need no special case.
 */
export function countOrUnlimited(max: number): SettingKind<number> {
  const limited = integer(0, max);
  return {
    allowed: `${limited.allowed}; 0 means no limit`,
    parse: (text) => {
      const count = limited.parse(text, '');
      return count === 0 ? Number.POSITIVE_INFINITY : count;
    },
    format: (count) => (count === Number.POSITIVE_INFINITY ? '0' : limited.format(count)),
  };
}

/** A time span such as `30s`, `4h30m` or `1d`; the value is in milliseconds. */
export function duration(min: string, max: string): SettingKind<number> {
  const minMs = parseDurationMs(min);
  const maxMs = parseDurationMs(max);
  return {
    allowed: `a duration from ${min} to ${max}, such as 30s or 4h30m`,
    parse: (text) => {
      const valueMs = durationMsOf(text);
      return valueMs !== undefined && valueMs >= minMs && valueMs <= maxMs ? valueMs : undefined;
    },
    format: formatDurationMs,
  };
}

/** A time span, or the word `random`. */
export function durationOrRandom(min: string, max: string): SettingKind<number | 'random'> {
  const span = duration(min, max);
  return {
    allowed: `random, or ${span.allowed}`,
    parse: (text) => (text === 'random' ? 'random' : span.parse(text, '')),
    format: (value) => (value === 'random' ? value : span.format(value)),
  };
}

function durationMsOf(text: string): number | undefined {
  try {
    return parseDurationMs(text);
  } catch (error) {
    if (isQuireError(error, 'INVALID_PARAMETER')) return undefined;
    throw error;
  }
}

/** One of the words `true` and `false`. */
export const boolean: SettingKind<boolean> = {
  allowed: 'true or false',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  format: String,
};

/** One of a few words. */
export function choice<const Word extends string>(...words: readonly Word[]): SettingKind<Word> {
  return {
    allowed: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text),
    format: (word) => word,
  };
}

/** Text that a pattern describes; `allowed` says so in words. */
export function text(pattern: RegExp, allowed: string): SettingKind<string> {
  return {
    allowed,
    parse: (value) => (pattern.test(value) ? value : undefined),
    format: (value) => value,
  };
}

/** A host name or an IP address, without brackets or port. */
export const host: SettingKind<string> = {
  allowed: 'a host name or an IP address',
  parse: (value) => (isIP(value) !== 0 || hostNamePattern.test(value) ? value : undefined),
  format: (value) => value,
};

const hostNamePattern = /^(?=.{1,253}$)(?!-)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*$/;
