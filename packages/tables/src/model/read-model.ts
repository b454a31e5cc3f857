import { distance } from 'fastest-levenshtein';
import type { TSchema } from 'typebox';
import { type Finding, pointerTo, sortFindings } from '../finding.ts';
import { isRecord, type ModelSchema } from './document.ts';
import { actsByPresence, anyCase, anyScalar } from './member.ts';

/** The verdict on a document that was parsed by its model. */
export interface ModelVerdict {
  /**
   * All deviations from the model, such as wrong types and unknown words, and all conversions, in
   * order. Rules are checked elsewhere.
   */
  readonly findings: readonly Finding[];
  /** Unknown members, by JSON pointer. */
  readonly unrecognizedProperties: Readonly<Record<string, unknown>>;
}

interface ReadValue extends ModelVerdict {
  /** The parts that match the model, and unknown members; other parts are omitted. */
  readonly value: unknown;
}

/** The maximum number of findings of one reading; more are dropped. */
const findingsMax = 1000;

/**
 * Parses a document by a model. Never throws, whatever the value.
 *
 * Members that are null count as missing, and so does a section that contains only nulls. Numbers
 * and booleans that are written as text, and the reverse, are converted with a warning.
 */
export function readModel(model: TSchema, value: unknown): ReadValue {
  const reading = new Reading();
  const read = reading.read(model, value, '');
  return {
    value: read,
    findings: sortFindings(reading.findings),
    unrecognizedProperties: Object.fromEntries(reading.unrecognized),
  };
}

class Reading {
  readonly findings: Finding[] = [];
  readonly unrecognized: [string, unknown][] = [];

  /** Returns the parts of the value that match the model; undefined if there are none. */
  read(schema: ModelSchema, value: unknown, path: string): unknown {
    if (schema[anyScalar] === true) return this.#readScalar(value, path);
    if (schema.type === undefined) return value;
    if (schema.type === 'object') return this.#readObject(schema, value, path);
    if (schema.type === 'array') return this.#readArray(schema, value, path);
    const converted = convertScalar(schema, value);
    if (converted.problem !== undefined) this.#report(path, converted.problem);
    return converted.value;
  }

  #readObject(schema: ModelSchema, value: unknown, path: string): unknown {
    if (!isRecord(value)) {
      this.#reportType(path, 'an object', value);
      return undefined;
    }
    const { properties = {}, additionalProperties: others } = schema;
    if (schema.properties !== undefined && isBlank(value) && path !== '') return undefined;
    const members = Object.entries(value).flatMap(
      ([name, member]): (readonly [string, unknown])[] => {
        const pointer = pointerTo(path, name);
        const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
        const known = own ?? (isRecord(others) ? others : undefined);
        if (known === undefined) {
          if (schema.properties !== undefined) this.unrecognized.push([pointer, member]);
          return [[name, member]];
        }
        if (member === null || member === undefined) return [];
        const read = this.read(known, member, pointer);
        return read === undefined ? [] : [[name, read]];
      },
    );
    return Object.fromEntries(members);
  }

  /** Returns a text, a number or a boolean unchanged: its text is used. */
  #readScalar(value: unknown, path: string): unknown {
    if (typeof value !== 'object') return value;
    this.#reportType(path, 'text, a number or a boolean', value);
    return undefined;
  }

  #readArray(schema: ModelSchema, value: unknown, path: string): unknown {
    if (!Array.isArray(value)) {
      this.#reportType(path, 'a list', value);
      return undefined;
    }
    const { items } = schema;
    if (items === undefined) return value;
    return value.flatMap((element: unknown, index) => {
      const read = this.read(items, element, pointerTo(path, index));
      return read === undefined ? [] : [read];
    });
  }

  #reportType(path: string, expected: string, value: unknown): void {
    this.#report(path, {
      code: 'WRONG_TYPE',
      severity: 'error',
      message: `Expected ${expected}, found ${describeValue(value)}.`,
    });
  }

  #report(path: string, problem: Omit<Finding, 'path'>): void {
    if (this.findings.length < findingsMax) this.findings.push({ path, ...problem });
    else if (this.findings.length === findingsMax) {
      const message = `There are more than ${findingsMax} findings; the others are not listed.`;
      this.findings.push({ path: '', code: 'TOO_MANY_FINDINGS', severity: 'warning', message });
    }
  }
}

/** Reports whether an object has members and all of them are null or, recursively, such objects. */
function isBlank(value: Readonly<Record<string, unknown>>): boolean {
  const members = Object.values(value);
  return (
    members.length > 0 &&
    members.every((member) => member === null || (isRecord(member) && isBlank(member)))
  );
}

/** A text, number or boolean as its model requires, and a finding about it. */
interface ConvertedScalar {
  /** Undefined if it does not match. */
  readonly value: string | number | boolean | undefined;
  readonly problem?: Omit<Finding, 'path'>;
}

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
};

/**
 * Returns a value that matches, and converts others if no information is lost: existing configs
 * contain `"true"` and `"10000"`.
 */
function convertScalar(schema: ModelSchema, value: unknown): ConvertedScalar {
  const fitting = fitScalar(schema, value);
  if (fitting === undefined) {
    const message = `Expected ${nouns[schema.type ?? '']}, found ${describeValue(value)}.`;
    return { value: undefined, problem: { code: 'WRONG_TYPE', severity: 'error', message } };
  }
  const isConverted = fitting !== value && typeof value !== 'bigint';
  const message = `Expected ${nouns[schema.type ?? '']}, found ${describeValue(value)}; it was converted.`;
  const problem = { code: 'TYPE_CONVERTED', severity: 'warning', message } as const;
  const outcome = isConverted ? { value: fitting, problem } : { value: fitting };
  return schema.enum === undefined
    ? outcome
    : chooseWord(schema.enum, String(fitting), schema[anyCase] === true, outcome);
}

function fitScalar(schema: ModelSchema, value: unknown): string | number | boolean | undefined {
  switch (schema.type) {
    case 'string':
      if (typeof value === 'string') return value;
      return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
        ? String(value)
        : undefined;
    case 'boolean':
      if (typeof value === 'boolean') return value;
      if (typeof value === 'number' && Number.isInteger(value)) return value !== 0;
      if (typeof value === 'string' && value.trim() === '') return false;
      if (typeof value !== 'string' || !/^\s*([tT]rue|TRUE|[fF]alse|FALSE)\s*$/.test(value)) {
        return undefined;
      }
      return value.trim().toLowerCase() === 'true';
    case 'integer':
      // Numbers lose their fraction, as when Apache Pinot reads the document; texts have none.
      if (typeof value === 'number') return fitNumber(Math.trunc(value), Number.isSafeInteger);
      return fitNumber(value, Number.isSafeInteger, /^\s*[+-]?\d{1,30}\s*$/);
    case 'number':
      return fitNumber(
        value,
        Number.isFinite,
        /^\s*[+-]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})(e[+-]?\d{1,3})?\s*$/i,
      );
    default:
      return undefined;
  }
}

function fitNumber(
  value: unknown,
  fits: (number: number) => boolean,
  pattern?: RegExp,
): number | undefined {
  const isText = typeof value === 'string' && pattern?.test(value) === true;
  if (!isText && typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const number = typeof value === 'string' ? Number.parseFloat(value) : Number(value);
  return fits(number) ? number : undefined;
}

/**
 * Accepts a word in another case, so that the rest can be checked; it is an error unless any case
 * is accepted.
 */
function chooseWord(
  words: readonly string[],
  given: string,
  isAnyCase: boolean,
  outcome: ConvertedScalar,
): ConvertedScalar {
  if (words.includes(given)) return outcome;
  const inOtherCase = words.find((word) => word.toLowerCase() === given.toLowerCase());
  if (inOtherCase !== undefined) {
    const message = `Expected ${inOtherCase}, found ‘${given}’${isAnyCase ? '; it was converted' : ''}.`;
    const problem = isAnyCase
      ? ({ code: 'TYPE_CONVERTED', severity: 'warning', message } as const)
      : ({ code: 'UNKNOWN_VALUE', severity: 'error', message } as const);
    return { value: inOtherCase, problem };
  }
  const shown = given.slice(0, 40);
  const nearest = words.toSorted(
    (left, right) => distance(left, shown.toUpperCase()) - distance(right, shown.toUpperCase()),
  )[0];
  const message = `‘${shown}’ is not one of ${words.join(', ')}. The nearest is ${nearest}.`;
  return { value: undefined, problem: { code: 'UNKNOWN_VALUE', severity: 'error', message } };
}

/** Describes a value for a message: its kind and its beginning. */
function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return `the text ‘${value.length > 40 ? `${value.slice(0, 40)}…` : value}’`;
    case 'number':
    case 'bigint':
      return `the number ${value}`;
    case 'boolean':
      return String(value);
    default:
      return 'an object';
  }
}

/**
 * Returns the value with every member of its model: the default of missing ones, or null without a
 * default.
 *
 * The meaning does not change: a missing section whose presence has an effect is null, and its
 * members are not added. Unknown members are kept. Pure.
 */
export function completeModel(model: TSchema, value: unknown): unknown {
  return complete(model, value);
}

function complete(schema: ModelSchema, value: unknown): unknown {
  const { properties, items, additionalProperties } = schema;
  if (value === undefined && (properties === undefined || schema[actsByPresence] === true)) {
    return schema.default ?? null;
  }
  if (properties !== undefined && (isRecord(value) || value === undefined)) {
    const given = value ?? {};
    const known = Object.entries(properties).map(([name, member]) => {
      return [
        name,
        complete(member, Object.hasOwn(given, name) ? (given[name] ?? undefined) : undefined),
      ] as const;
    });
    return Object.fromEntries([
      ...known,
      ...Object.entries(given).filter(([name]) => !Object.hasOwn(properties, name)),
    ]);
  }
  if (items !== undefined && Array.isArray(value)) {
    return value.map((element: unknown) => complete(items, element));
  }
  if (isRecord(additionalProperties) && isRecord(value)) {
    const members: ModelSchema = additionalProperties;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, complete(members, member)]),
    );
  }
  return value ?? schema.default ?? null;
}
