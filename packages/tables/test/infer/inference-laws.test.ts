import { ManualClock } from '@quire/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  runPipeline,
  type SourceRow,
  validateTableConfig,
  validateTableSchema,
} from '../../src/index.ts';
import { inferSchema } from '../../src/infer/schema-inference.ts';
import { proposeTableConfig } from '../../src/infer/propose-table-config.ts';

const scalar = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  // The pipeline truncates text at a zero character.
  fc.string({ maxLength: 700 }).map((text) => text.replaceAll('\0', ' ')),
  fc.constantFrom('2024-02-29', '2024-02-29 10:00:00', '{"a":1}', '007', 'true', '1'),
  fc.constantFrom(1_700_000_000_000, 1_700_000_000, 20_240_229),
);
const value = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom('p', 'q r'), scalar, { maxKeys: 2 }) },
  { weight: 1, arbitrary: fc.array(fc.record({ k: scalar }), { minLength: 1, maxLength: 2 }) },
);
const names = fc.constantFrom('a', 'b', 'time', 'day', 'a b', '$c');
const rows: fc.Arbitrary<SourceRow[]> = fc.array(fc.dictionary(names, value, { maxKeys: 4 }), {
  maxLength: 6,
});

test('every row that a table was inferred from goes into it: none fails, none is incomplete, none is cut', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      // A column that is a map in one row and a single value in another fits no type of the engine.
      fc.pre(!hasMixedShapes(given));
      const inferred = inferSchema(given);
      const { config } = proposeTableConfig(inferred);
      const result = await runPipeline(given, {
        config,
        schema: inferred.schema,
        clock: new ManualClock(),
      });
      expect(result.findings).toEqual([]);
      expect(result.dropped).toEqual([]);
      expect(result.counts).toMatchObject({
        read: given.length,
        filtered: 0,
        failed: 0,
        incomplete: 0,
        sanitized: 0,
      });
    }),
    { numRuns: 400 },
  );
});

test('what is inferred and proposed breaks no rule', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const inferred = inferSchema(given);
      const errors = [
        ...validateTableSchema(inferred.schema),
        ...validateTableConfig(proposeTableConfig(inferred).config, { schema: inferred.schema }),
      ].filter(({ severity }) => severity === 'error');
      expect(errors).toEqual([]);
    }),
  );
});

test('types, lists and nulls do not depend on the order of rows', () => {
  const shuffled = rows.chain((given) =>
    fc.tuple(
      fc.constant(given),
      fc.shuffledSubarray(given, { minLength: given.length, maxLength: given.length }),
    ),
  );
  const describeColumns = (given: readonly SourceRow[]) =>
    new Map(
      inferSchema(given).columns.map(({ name: _, reason: __, ...column }) => [
        column.source,
        column,
      ]),
    );
  fc.assert(
    fc.property(shuffled, ([given, other]) => {
      expect(describeColumns(other)).toEqual(describeColumns(given));
    }),
  );
});

test('numbers keep their value in the type that they are widened to', async () => {
  const numbers = fc.array(
    fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n })),
    {
      minLength: 1,
    },
  );
  await fc.assert(
    fc.asyncProperty(numbers, async (given) => {
      const source = given.map((number) => ({ n: number }));
      const { schema } = inferSchema(source);
      const { rows: kept } = await runPipeline(source, {
        config: {},
        schema,
        clock: new ManualClock(),
      });
      expect(kept.map(({ fields }) => BigInt(fields['n'] as string | number | bigint))).toEqual(
        given.map(BigInt),
      );
    }),
  );
});

function hasMixedShapes(given: readonly SourceRow[]): boolean {
  const isMap = (each: unknown): boolean =>
    typeof each === 'object' && each !== null && !Array.isArray(each);
  const columns = new Set(given.flatMap((row) => Object.keys(row)));
  return [...columns].some((name) => {
    const values = given.map((row) => row[name] ?? null).filter((each) => each !== null);
    return values.some(isMap) && !values.every(isMap);
  });
}
