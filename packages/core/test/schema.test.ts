import fc from 'fast-check';
import { type TSchema, Type as TypeBox } from 'typebox';
import { expect, test } from 'vitest';
import { Type } from '../src/schema/index.ts';

/** Creates a schema with the builders of one of the two libraries. */
type Make = (type: typeof Type) => TSchema;

const options = fc.constantFrom({}, { description: 'Some words.' }, { default: null, 'x-y': [1] });
const name = fc.constantFrom('a', 'b', 'c', 'toString', '$id');

const { schema } = fc.letrec<{ schema: Make }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .tuple(fc.constantFrom('String', 'Boolean', 'Integer', 'Number', 'Null', 'Unknown'), options)
      .map(
        ([builder, given]): Make =>
          (type) =>
            type[builder](given),
      ),
    options.map(
      (given): Make =>
        (type) =>
          type.Enum(['x', 'y'], given),
    ),
    options.map(
      (given): Make =>
        (type) =>
          type.Unsafe({ type: 'string', ...given }),
    ),
    tie('schema').map(
      (make): Make =>
        (type) =>
          type.Optional(make(type)),
    ),
    tie('schema').map(
      (make): Make =>
        (type) =>
          type.Unsafe(make(type)),
    ),
    fc.tuple(tie('schema'), options).map(
      ([make, given]): Make =>
        (type) =>
          type.Array(make(type), given),
    ),
    fc.tuple(tie('schema'), options).map(
      ([make, given]): Make =>
        (type) =>
          type.Record(type.String(), make(type), given),
    ),
    fc.tuple(fc.array(tie('schema'), { maxLength: 3 }), options).map(
      ([makes, given]): Make =>
        (type) =>
          type.Union(
            makes.map((make) => make(type)),
            given,
          ),
    ),
    fc.tuple(fc.dictionary(name, tie('schema'), { maxKeys: 4 }), options).map(
      ([members, given]): Make =>
        (type) =>
          type.Object(
            Object.fromEntries(Object.entries(members).map(([key, make]) => [key, make(type)])),
            given,
          ),
    ),
  ),
}));

test('a schema is the one that TypeBox makes: the same members in the same order, and the same hidden ones', () => {
  fc.assert(
    fc.property(schema, (make) => {
      expect(described(make(Type))).toEqual(described(make(TypeBox)));
      expect(JSON.stringify(make(Type))).toBe(JSON.stringify(make(TypeBox)));
    }),
    { numRuns: 500 },
  );
});

/** Returns a value with all members of its objects, the hidden ones included. */
function described(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(described);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(Object.getOwnPropertyDescriptors(value));
  const isShown = ([, { enumerable }]: (typeof members)[number]): boolean => enumerable === true;
  const hidden = members
    .filter((member) => !isShown(member))
    .map(([key, each]) => [key, each.value]);
  return {
    shown: members.filter(isShown).map(([key, each]) => [key, described(each.value)]),
    hidden: Object.fromEntries(hidden),
  };
}
