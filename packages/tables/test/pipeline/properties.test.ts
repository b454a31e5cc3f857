import { ManualClock } from '@quire/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderTransforms, type Transform } from '../../src/pipeline/read-transforms.ts';
import { type PipelineResult, runPipeline } from '../../src/pipeline/run-pipeline.ts';
import type { SourceValue } from '../../src/row.ts';

const names = fc.constantFrom('a', 'b', 'c', 'd', 'items', 'a.b', 'items.a');
const { value: values } = fc.letrec<{ value: SourceValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<SourceValue>(
      null,
      true,
      0,
      -0,
      Number.NaN,
      1.5,
      2n ** 60n,
      'x',
      '12',
      '2024-01-01',
      'a\0b',
      new Uint8Array([1]),
    ),
    fc.string({ maxLength: 20 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }),
  ),
}));
const expressions = fc.constantFrom(
  'a',
  'b + 1',
  'upper(c)',
  'a || b',
  'jsonFormat(items)',
  'CAST(d AS INT)',
  'd > 3',
  'coalesce(a, b, c)',
  "fromDateTime(c, 'yyyy')",
  'arrayLength(items)',
  'uper(a)',
  'a IS NULL',
  "jsonPathString(items, '$.a', 'x')",
  'a = b',
  'TRUE',
  '`items.a`',
);
const types = fc.constantFrom(
  'INT',
  'LONG',
  'DOUBLE',
  'STRING',
  'BOOLEAN',
  'TIMESTAMP',
  'JSON',
  'BYTES',
  'BIG_DECIMAL',
  'MAP',
);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

const scenes = fc.record({
  rows: fc.array(fc.dictionary(names, values), { maxLength: 8 }),
  config: fc.record({
    segmentsConfig: fc.constantFrom({}, { timeColumnName: 't' }),
    ingestionConfig: fc.record({
      continueOnError: fc.boolean(),
      rowTimeValueCheck: fc.boolean(),
      filterConfig: optional(fc.record({ filterFunction: expressions })),
      transformConfigs: fc.array(fc.record({ columnName: names, transformFunction: expressions }), {
        maxLength: 5,
      }),
      complexTypeConfig: optional(
        fc.record({
          fieldsToUnnest: fc.array(names, { maxLength: 3 }),
          prefixesToRename: fc.constantFrom<Record<string, string>>(
            {},
            { 'items.': '' },
            { a: 'z' },
          ),
          collectionNotUnnestedToJson: fc.constantFrom('NONE', 'ALL', undefined),
        }),
      ),
      schemaConformingTransformerConfig: optional(fc.constant({ indexableExtrasField: 'extras' })),
    }),
  }),
  schema: fc.record({
    dimensionFieldSpecs: fc.uniqueArray(
      fc.record({
        name: names,
        dataType: types,
        singleValueField: fc.boolean(),
        maxLength: fc.constantFrom(3, 512),
      }),
      { selector: ({ name }) => name },
    ),
    dateTimeFieldSpecs: fc.constantFrom(
      [],
      [{ name: 't', dataType: 'LONG', format: '1:DAYS:EPOCH' }],
    ),
  }),
});

test('rows out, filtered and failed are the rows read and those that unnesting added; twice the same; the source is left alone', async () => {
  await fc.assert(
    fc.asyncProperty(scenes, async ({ rows, config, schema }) => {
      const before = structuredClone(rows);
      const first = await runPipeline(rows, { config, schema, clock: new ManualClock() });
      const second = await runPipeline(rows, { config, schema, clock: new ManualClock() });
      const { read, unnested, filtered, failed } = first.counts;
      expect(first.rows.length + filtered + failed).toBe(read + unnested);
      expect(read).toBe(rows.length);
      expect(first.counts.incomplete).toBe(
        first.rows.filter(({ isIncomplete }) => isIncomplete).length,
      );
      expect(second).toStrictEqual(first);
      expect(rows).toEqual(before);
    }),
    { numRuns: 1_500 },
  );
});

test('rows whose columns are known before are what they are where each has to be looked at again', async () => {
  await fc.assert(
    fc.asyncProperty(scenes, async ({ rows, config, schema }) => {
      const {
        complexTypeConfig: _,
        schemaConformingTransformerConfig: __,
        ...ingestionConfig
      } = config.ingestionConfig;
      // This enricher is supported and does nothing here, but any enricher may create columns.
      const enrichmentConfigs = [{ enricherType: 'clpEnricher' }];
      const clock = new ManualClock();
      const flat = await runPipeline(rows, {
        config: { ...config, ingestionConfig },
        schema,
        clock,
      });
      const plain = await runPipeline(rows, {
        config: { ...config, ingestionConfig: { ...ingestionConfig, enrichmentConfigs } },
        schema,
        clock,
      });
      expect(withoutPrototypes(flat)).toStrictEqual(withoutPrototypes(plain));
    }),
    { numRuns: 600 },
  );
});

test('transforms that read each other at random are ordered, left out as circles, or blocked by them: each exactly once', () => {
  const transforms = fc
    .array(fc.array(fc.nat({ max: 11 }), { maxLength: 3 }), { maxLength: 12 })
    .map((reads) =>
      reads.map((columns, index) =>
        transformOf(
          `c${index}`,
          columns.map((each) => `c${each}`),
        ),
      ),
    );
  fc.assert(
    fc.property(transforms, (given) => {
      const { ordered, cycles, blocked } = orderTransforms(given);
      const columns = [ordered, [...new Set(cycles.flat())], blocked]
        .flat()
        .map(({ column }) => column);
      expect(columns.toSorted()).toEqual(given.map(({ column }) => column).toSorted());
      const made = new Set<string>();
      const known = new Set(given.map(({ column }) => column));
      for (const { column, expression } of ordered) {
        const reads =
          expression.kind === 'call'
            ? expression.args.flatMap((arg) => (arg.kind === 'column' ? arg.name : []))
            : [];
        expect(reads.filter((name) => known.has(name) && !made.has(name))).toEqual([]);
        made.add(column);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a thousand transforms that each read the next, and the last the first, are one circle', () => {
  const transforms = Array.from({ length: 1_000 }, (_, index) =>
    transformOf(`c${index}`, [`c${(index + 1) % 1_000}`]),
  );
  const { ordered, cycles, blocked } = orderTransforms(transforms);
  expect([ordered.length, cycles.map(({ length }) => length), blocked.length]).toEqual([
    0,
    [1_000],
    0,
  ]);
});

/**
 * Returns a result without its findings, with fields as lists: rows created in different ways are
 * objects of different kinds.
 */
function withoutPrototypes({ findings: _, rows, ...result }: PipelineResult) {
  return {
    ...result,
    rows: rows.map(({ fields, ...row }) => ({
      ...row,
      fields: Object.entries(fields).toSorted(([left], [right]) => (left < right ? -1 : 1)),
    })),
  };
}

function transformOf(column: string, reads: readonly string[]): Transform {
  return {
    column,
    path: '',
    expression: {
      kind: 'call',
      name: 'array',
      args: reads.map((name) => ({ kind: 'column', name })),
    },
  };
}
