import { Type } from '@quire/core/schema';
import type { Static, TProperties, TSchema } from 'typebox';

/**
 * Builders of the members of a model. Every member is optional. A missing member has its default,
 * if any, and is null in a completed document otherwise.
 */

/**
 * The keyword of a section whose presence has an effect: a missing one is null in a completed
 * document.
 */
export const actsByPresence = 'x-acts-by-presence';

/** The keyword of a word that is accepted in any case. */
export const anyCase = 'x-any-case';

/** The keyword of a value that is a text, a number or a boolean, and is kept unchanged. */
export const anyScalar = 'x-any-scalar';

/** A text. */
export const text = (description: string, value?: string) =>
  Type.Optional(Type.String(described(description, value)));

/** A boolean; false by default. */
export const flag = (description: string, value = false) =>
  Type.Optional(Type.Boolean({ description, default: value }));

/** A boolean whose absence differs from false. */
export const flagOrNone = (description: string) => Type.Optional(Type.Boolean({ description }));

/** A whole number. */
export const integer = (description: string, value?: number) =>
  Type.Optional(Type.Integer(described(description, value)));

/** A number. */
export const number = (description: string, value?: number) =>
  Type.Optional(Type.Number(described(description, value)));

/** Texts, such as names of columns; empty by default. */
export const texts = (description: string, value: readonly string[] = []) =>
  Type.Optional(Type.Array(Type.String(), { description, default: [...value] }));

/** Any JSON value. */
export const anything = (description: string) => Type.Optional(Type.Unknown({ description }));

/** An object with arbitrary members; empty by default. */
export const freeForm = (description: string) =>
  Type.Optional(
    Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', description, default: {} }),
  );

/** An object from names to values of a type. */
const record = <Value>(values: object, description: string) =>
  Type.Optional(
    Type.Unsafe<Readonly<Record<string, Value>>>({
      type: 'object',
      additionalProperties: values,
      description,
      default: {},
    }),
  );

const scalar = { [anyScalar]: true };

/** An object from names to texts; numbers and booleans are accepted as their texts. */
export const textByName = (description: string) => record<unknown>(scalar, description);

/** An object from names to objects from names to texts. */
export const textsOfNames = (description: string) =>
  record<unknown>({ type: 'object', additionalProperties: scalar }, description);

/** A list of objects from names to texts. */
export const textsByName = (description: string) =>
  Type.Optional(
    Type.Unsafe<readonly Readonly<Record<string, unknown>>[]>({
      type: 'array',
      items: { type: 'object', additionalProperties: scalar },
      description,
      default: [],
    }),
  );

/** One of the given words. */
export const oneOf = <const Words extends readonly string[]>(
  words: Words,
  description: string,
  value?: Words[number],
) => Type.Optional(word(words, described(description, value)));

/** One of the given words, in any case. */
export const oneOfAnyCase = <const Words extends readonly string[]>(
  words: Words,
  description: string,
  value?: Words[number],
) => Type.Optional(word(words, { ...described(description, value), [anyCase]: true }));

/** A list of the given words. */
export const someOf = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Optional(Type.Array(word(words), { description, default: [] }));

/** An object from names to one of the given words. */
export const mapToOneOf = <const Words extends readonly string[]>(
  words: Words,
  description: string,
) => record<Words[number]>(word(words), description);

/** A section: an object with members of its own, and a default for each. */
export const section = <Members extends TProperties>(members: Members, description: string) =>
  Type.Optional(model(members, description));

/** A section whose presence has an effect. */
export const optionalSection = <Members extends TProperties>(
  members: Members,
  description: string,
) =>
  Type.Optional(
    Type.Object(members, { description, additionalProperties: true, [actsByPresence]: true }),
  );

/** A list of objects with members of their own. */
export const list = <Element extends TSchema>(element: Element, description: string) =>
  Type.Optional(Type.Array(element, { description, default: [] }));

/** The same list, where an empty list differs from none. */
export const listOrNone = <Element extends TSchema>(element: Element, description: string) =>
  Type.Optional(Type.Array(element, { description }));

/** An object from names to objects with members of their own. */
export const mapTo = <Element extends TSchema>(element: Element, description: string) =>
  record<Static<Element>>(element, description);

/** A whole model. Unknown members are kept. */
export const model = <Members extends TProperties>(members: Members, description: string) =>
  Type.Object(members, { description, additionalProperties: true });

function word<const Words extends readonly string[]>(words: Words, options: object = {}) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: words, ...options });
}

function described<Value>(
  description: string,
  value: Value | undefined,
): { description: string; default?: Value } {
  return value === undefined ? { description } : { description, default: value };
}

/**
 * Names that are the same in every part of a config: the enumerations of SPECIFICATION.md sections
 * 2.3 to 2.5, with the values of Apache Pinot.
 */

export const tableTypes = ['OFFLINE', 'REALTIME'] as const;
export const timeUnits = [
  'NANOSECONDS',
  'MICROSECONDS',
  'MILLISECONDS',
  'SECONDS',
  'MINUTES',
  'HOURS',
  'DAYS',
] as const;
export const pushTypes = ['APPEND', 'REFRESH'] as const;
export const encodingTypes = ['RAW', 'DICTIONARY'] as const;
export const indexTypes = [
  'INVERTED',
  'SORTED',
  'TEXT',
  'FST',
  'IFST',
  'H3',
  'JSON',
  'TIMESTAMP',
  'VECTOR',
  'RANGE',
] as const;
export const timestampGranularities = [
  'MILLISECOND',
  'SECOND',
  'MINUTE',
  'HOUR',
  'DAY',
  'WEEK',
  'MONTH',
  'QUARTER',
  'YEAR',
] as const;
export const compressionCodecs = [
  'PASS_THROUGH',
  'SNAPPY',
  'ZSTANDARD',
  'LZ4',
  'GZIP',
  'MV_ENTRY_DICT',
  'CLP',
  'CLPV2',
  'CLPV2_ZSTD',
  'CLPV2_LZ4',
  'DELTA',
  'DELTADELTA',
] as const;
export const partialUpsertStrategies = [
  'APPEND',
  'IGNORE',
  'INCREMENT',
  'MAX',
  'MIN',
  'OVERWRITE',
  'FORCE_OVERWRITE',
  'UNION',
] as const;
