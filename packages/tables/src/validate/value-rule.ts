import { isQuireError, parseDurationMs } from '@quire/core';
import { pointerTo } from '../finding.ts';
import { isRecord } from '../model/document.ts';
import type { Fault, Subject, TableRule } from './rule.ts';

/** What a value must be, and what to say of one that is not. */
interface Expectation {
  readonly holds: (value: string) => boolean;
  /** `member` is the last part of the path that `*` stands for, or the name of the value. */
  readonly message: (value: string, member: string) => string;
}

/** Values of a config by their place, and what each of them must be. */
interface Values extends Expectation {
  /** JSON pointers; `*` stands for every element or member. */
  readonly at: readonly string[];
  /** Whether a value that is missing or empty breaks the rule, where the section around it is there. Otherwise it is skipped. */
  readonly isRequired?: boolean;
}

interface ValueRule {
  readonly code: string;
  readonly subject: Subject;
  readonly description: string;
  readonly values: readonly Values[];
}

/** A rule about single values, each looked at by itself: an error for every one that is not as expected. */
export function valueRule({ values, ...rule }: ValueRule): TableRule {
  return {
    ...rule,
    severity: 'error',
    *check({ config }) {
      for (const { at, ...expected } of values) {
        for (const path of at) yield* faultsAt(config, path.split('/').slice(1), '', '', expected);
      }
    },
  };
}

function* faultsAt(
  section: unknown,
  [segment = '', ...rest]: readonly string[],
  path: string,
  member: string,
  expected: Omit<Values, 'at'>,
): Generator<Fault> {
  if (segment === '*') {
    const entries = Array.isArray(section) ? [...section.entries()] : isRecord(section) ? Object.entries(section) : [];
    for (const [name, value] of entries) {
      const [inner, innerMember] = [pointerTo(path, name), String(name)];
      if (rest.length > 0) yield* faultsAt(value, rest, inner, innerMember, expected);
      else yield* faultOf(value, inner, innerMember, expected);
    }
    return;
  }
  if (!isRecord(section)) return;
  const [value, inner] = [section[segment], pointerTo(path, segment)];
  if (rest.length > 0) yield* faultsAt(value, rest, inner, member, expected);
  else yield* faultOf(value, inner, member === '' ? segment : member, expected);
}

function* faultOf(
  value: unknown,
  path: string,
  member: string,
  { isRequired = false, holds, message }: Omit<Values, 'at'>,
): Generator<Fault> {
  const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  if (text === '' ? isRequired : !holds(text)) yield { path, message: message(text, member) };
}

/** One of the words, in any case. */
export function oneOfWords(words: readonly string[]): Expectation {
  return {
    holds: (value) => words.some((word) => word.toLowerCase() === value.toLowerCase()),
    message: (value) => `‘${value}’ is not one of ${words.join(', ')}.`,
  };
}

/** A period such as 7d. */
export const period: Expectation = { holds: isPeriod, message: (value) => `‘${value}’ is not a period such as 7d or 4h30m.` };

/** A whole number of at least 1, of nine digits at most. */
export const count: Expectation = { holds: isCount, message: (value) => `‘${value}’ is not a whole number of at least 1.` };

/** A tag of servers. */
export const serverTag: Expectation = {
  holds: (value) => /^.+_(OFFLINE|REALTIME)$/.test(value),
  message: (value) => `‘${value}’ does not end in _OFFLINE or _REALTIME.`,
};

/** Tells whether a text is a period such as 7d. */
export function isPeriod(text: string): boolean {
  try {
    return parseDurationMs(text) > 0;
  } catch (error) {
    if (!isQuireError(error, 'INVALID_PARAMETER')) throw error;
    return false;
  }
}

/** Tells whether a text is a whole number of at least 1. */
export function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text.trim());
}
