import { isIP } from 'node:net';
import { isQuireError } from '../errors.ts';
import { formatDurationMs, MiB, parseDurationMs } from '../units.ts';

/** Parses, formats and describes the values of one kind of setting. */
export interface SettingKind<Value> {
  /** The allowed values in words that complete "expected …". */
  readonly allowed: string;
  /**
   * Returns the value, or undefined when the text is not allowed. Relative paths are resolved
   * against `baseDir`.
   */
  parse(text: string, baseDir: string): Value | undefined;
  /** Returns a text that `parse` reads as this value. */
  format(value: Value): string;
}

/** Returns a whole number from `min` to `max`. */
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

/** A TCP port; 0 means any free port. */
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

/**
 * Returns a size written as a whole number of the unit that ends its key; the value is in bytes.
 */
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
 * Returns a size as `size` does, where 0 means no limit; the value is then Infinity, so that
 * comparisons need no special case.
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
 * Returns a whole number up to `max`, where 0 means no limit; the value is then Infinity, so that
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

/** Returns a time span such as `30s`, `4h30m` or `1d`; the value is in milliseconds. */
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

/** Returns a time span, or the word `random`. */
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

/** Returns a kind with a few allowed words. */
export function choice<const Word extends string>(...words: readonly Word[]): SettingKind<Word> {
  return {
    allowed: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text),
    format: (word) => word,
  };
}

/** Returns text that matches a pattern; `allowed` describes it in words. */
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
