import { isQuireError, parseDurationMs } from '@quire/core';
import { pointerTo } from '../finding.ts';
import { isRecord } from '../model/document.ts';
import { type Check, type CheckedTable, type Fault, placedMembers } from './rule.ts';

/** The requirement of a value, and the message about a violation. */
interface Expectation {
  readonly holds: (value: string) => boolean;
  /**
   * Returns the message. `member` is the path segment that the last `*` matched, or the name of the
   * value.
   */
  readonly message: (value: string, member: string) => string;
  /**
   * True if a missing value breaks the rule, provided that its section exists. Otherwise it is
   * skipped.
   */
  readonly isRequired?: boolean;
  /** True if an empty text is a value rather than a missing one. */
  readonly isEmptyValue?: boolean;
}

/**
 * Checks single values of a config by their JSON pointers, in which `*` matches every element or
 * member.
 */
export function valuesAt(
  pointers: string | readonly string[],
  expected: Expectation,
): Check<CheckedTable> {
  const { isRequired = false, isEmptyValue = false, holds, message } = expected;
  return function* ({ config }) {
    for (const pointer of [pointers].flat()) {
      for (const { path, value, member } of valuesBelow(config, pointer.split('/').slice(1))) {
        const text =
          typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
            ? String(value)
            : '';
        const isMissing = isEmptyValue ? value === undefined || value === null : text === '';
        if (isMissing ? isRequired : !holds(text)) yield [path, message(text, member)];
      }
    }
  };
}

interface PlacedValue {
  readonly path: string;
  readonly value: unknown;
  readonly member: string;
}

/**
 * Yields the values at a path; undefined for a missing member, and nothing if its section is
 * missing.
 */
function* valuesBelow(
  section: unknown,
  [step, ...rest]: readonly string[],
  path = '',
  member = '',
): Generator<PlacedValue> {
  if (step === undefined) yield { path, value: section, member };
  else if (typeof section !== 'object' || section === null) return;
  else if (step === '*') {
    for (const [inner, name, value] of placedMembers<unknown>(path, { ...section })) {
      yield* valuesBelow(value, rest, inner, name);
    }
  } else if (isRecord(section)) {
    yield* valuesBelow(
      section[step],
      rest,
      pointerTo(path, step),
      member === '' && rest.length === 0 ? step : member,
    );
  }
}

/** Yields a fault for each required member that is missing from an existing section. */
export function* missingMembers(
  checked: CheckedTable,
  pointers: readonly string[],
): Generator<Fault> {
  for (const path of pointers) {
    const message = () => `The required member ${path.split('/').at(-1)} is missing.`;
    yield* valuesAt(path, { isRequired: true, isEmptyValue: true, holds: () => true, message })(
      checked,
    );
  }
}

/** Requires one of the words, in any case. */
export function oneOfWords(words: readonly string[]): Expectation {
  return {
    holds: (value) => words.some((word) => word.toLowerCase() === value.toLowerCase()),
    message: (value) => `‘${value}’ is not one of ${words.join(', ')}.`,
  };
}

/** Requires a period such as 7d. */
export const period: Expectation = {
  holds: isPeriod,
  message: (value) => `‘${value}’ is not a period such as 7d or 4h30m.`,
};

/** Requires a server tag. */
export const serverTag: Expectation = {
  holds: (value) => /_(OFFLINE|REALTIME)$/.test(value),
  message: (value) => `The server tag ‘${value}’ must end in _OFFLINE or _REALTIME.`,
};

/** Reports whether a text is a period such as 7d. */
export function isPeriod(text: string): boolean {
  try {
    return parseDurationMs(text) > 0;
  } catch (error) {
    if (!isQuireError(error, 'INVALID_PARAMETER')) throw error;
    return false;
  }
}

/** Reports whether a text is a 32-bit whole number, as Java parses it. */
export function isInteger(text: string): boolean {
  return /^[+-]?\d{1,10}$/.test(text) && Math.abs(Number(text)) <= 2_147_483_647;
}

/** Reports whether a text is a 64-bit whole number, as Java parses it. */
export function isLong(text: string): boolean {
  if (!/^[+-]?\d{1,19}$/.test(text)) return false;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value;
}

/** Parses a number as Java parses a double, such as ` 5e3` or `5d`; NaN for other texts. */
export function javaNumber(text: string): number {
  const isNumber = /^\s*[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[dDfF]?|Infinity)\s*$/.test(
    text,
  );
  return isNumber ? Number.parseFloat(text) : Number.NaN;
}

/**
 * Parses a period of days, hours, minutes and seconds such as 1d12h to milliseconds; undefined for
 * other texts.
 *
 * Like Apache Pinot, it expects the units in this order, in either case, each part with an optional
 * sign.
 */
export function periodMs(text: string): number | undefined {
  const parts =
    /^(?:([+-]?\d{1,9})d)?(?:([+-]?\d{1,9})h)?(?:([+-]?\d{1,9})m)?(?:([+-]?\d{1,9})s)?$/i.exec(
      text,
    );
  if (parts === null || text === '') return undefined;
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .map(Number)
    .map((part) => (Number.isNaN(part) ? 0 : part));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}

/** Reports whether a text is a size such as 100G. */
export function isSize(text: string): boolean {
  return /^\d+(\.\d+)?[KMGTP]?B?$/i.test(text);
}

/** Reports whether a text is a whole number of at least 1. */
export function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text.trim());
}
