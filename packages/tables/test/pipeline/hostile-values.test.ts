import {
  type Expression,
  functionFamilies,
  parseExpression,
  printExpression,
} from '../../src/expressions/index.ts';
import { ManualClock } from '@quire/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type {
  IngestionConfigPart,
  PipelineConfig,
  PipelineSchema,
} from '../../src/pipeline/column-spec.ts';
import { type PipelineResult, runPipeline } from '../../src/pipeline/run-pipeline.ts';
import type { SourceRow, SourceValue } from '../../src/row.ts';

function nested(depth: number, wrap: (inner: SourceValue) => SourceValue): SourceValue {
  let value: SourceValue = 1;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

const brackets = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const braces = (depth: number, inner: string): string =>
  `${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;

/**
 * Values of an untrusted sender: as deep as sources allow, and far deeper within texts; wide; long;
 * and numbers at their limits.
 */
const hostile: Readonly<Record<string, SourceValue>> = {
  'lists in lists': nested(100, (inner) => [inner]),
  'objects in objects': nested(100, (inner) => ({ a: inner })),
  'a text of 20,000 brackets': brackets(20_000),
  'a text of 999 brackets': brackets(999),
  'a text of 20,000 objects with long numbers': braces(20_000, '12345678901234567890'),
  'a text of brackets that are never closed': '['.repeat(5_000),
  'a wide list': Array.from({ length: 2_000 }, (_, index) => index),
  'a wide object': Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`k${index}`, index]),
  ),
  'a list of lists': Array.from({ length: 50 }, () => [1, null, 'x']),
  'a long text': 'x'.repeat(20_000),
  'a text of quotes': '"'.repeat(5_000),
  'a text of percent signs': '%'.repeat(5_000),
  'half of a pair': '\ud800',
  'an empty text': '',
  'many bytes': new Uint8Array(5_000),
  'no bytes': new Uint8Array(),
  'a long beyond a double': 2n ** 63n - 1n,
  'the least long': -(2n ** 63n),
  'an integer of 1,000 digits': 10n ** 1_000n,
  'the largest safe integer': Number.MAX_SAFE_INTEGER,
  'the largest double': Number.MAX_VALUE,
  'minus infinity': Number.NEGATIVE_INFINITY,
  'not a number': Number.NaN,
  'minus zero': -0,
  'an object with inherited names': JSON.parse(
    '{"__proto__": {"constructor": 1}, "toString": null}',
  ) as SourceValue,
};
const values = Object.values(hostile);

const clock = new ManualClock({ nowMs: Date.UTC(2026, 0, 1) });

async function run(
  rows: readonly SourceRow[],
  config: PipelineConfig,
  schema: PipelineSchema,
): Promise<PipelineResult> {
  const result = await runPipeline(rows, { config, schema, clock, droppedMax: Infinity });
  const { read, unnested, filtered, failed } = result.counts;
  // An error of the runtime fails only its row, but is still a defect.
  expect(result.dropped.filter(({ reason }) => reason.includes('cannot be processed'))).toEqual([]);
  expect([read, result.rows.length + filtered + failed]).toEqual([rows.length, read + unnested]);
  return result;
}

/**
 * Returns calls of a function with the arguments of its example, with one argument at a time from
 * the row, and one call with all arguments from the row.
 */
function hostileCalls(example: Expression): readonly Expression[] {
  if (example.kind !== 'call') return [];
  const column: Expression = { kind: 'column', name: 'v' };
  const { args } = example;
  return [
    ...args.map((_, index): Expression => ({
      ...example,
      args: args.map((arg, at) => (at === index ? column : arg)),
    })),
    { ...example, args: args.map(() => column) },
  ];
}

describe('a row fails by itself, whatever is in it', () => {
  test.for(functionFamilies.map(({ title, functions }) => [title, functions] as const))(
    'a row fails by itself, whatever value a function meets: %s',
    async ([, functions]) => {
      const calls = functions
        .flatMap(({ example = '' }) => parseExpression(example).expression ?? [])
        .flatMap(hostileCalls)
        .map(printExpression);
      expect(calls.length).toBeGreaterThan(functions.length / 2);
      for (const [index, transformFunction] of calls.entries()) {
        const ingestionConfig = {
          continueOnError: index % 2 === 0,
          transformConfigs: [{ columnName: 'made', transformFunction }],
        };
        const dimensionFieldSpecs = [
          { name: 'made', dataType: index % 3 === 0 ? 'JSON' : 'STRING' },
        ];
        // Values that are far too large for a function fail only their own row.
        const rows = [...values.map((v) => ({ v })), { v: 1 }];
        const result = await run(rows, { ingestionConfig }, { dimensionFieldSpecs });
        const last = [...result.rows, ...result.dropped].some(
          ({ sourceIndex }) => sourceIndex === rows.length - 1,
        );
        expect([transformFunction, last]).toEqual([transformFunction, true]);
      }
    },
  );

  const steps: Readonly<Record<string, IngestionConfigPart>> = {
    flatten: { complexTypeConfig: { collectionNotUnnestedToJson: 'ALL' } },
    'flatten and unnest': {
      complexTypeConfig: {
        fieldsToUnnest: ['v', 'v.a', 'v.k1'],
        collectionNotUnnestedToJson: 'NONE',
      },
    },
    'rename prefixes': { complexTypeConfig: { prefixesToRename: { 'v.': '', v: 'w' } } },
    'schema conforming': {
      schemaConformingTransformerConfig: {
        indexableExtrasField: 'extras',
        unindexableExtrasField: 'more',
      },
    },
    enrichment: {
      enrichmentConfigs: [
        {
          enricherType: 'generateColumn',
          properties: { fieldToFunctionMap: { made: 'jsonFormat(v)' } },
        },
      ],
    },
    filter: { filterConfig: { filterFunction: 'jsonStringToListOrMap(v) = v' } },
    'keys and values': {
      transformConfigs: [{ columnName: 'w', transformFunction: 'jsonStringToListOrMap(v)' }],
    },
  };
  const types = [
    'INT',
    'LONG',
    'FLOAT',
    'DOUBLE',
    'BIG_DECIMAL',
    'BOOLEAN',
    'TIMESTAMP',
    'STRING',
    'JSON',
    'BYTES',
    'MAP',
  ];

  test.for(Object.entries(steps))(
    'a row fails by itself, whatever is in it: %s, into columns of every type',
    async ([, part]) => {
      for (const dataType of types) {
        for (const isLenient of [true, false]) {
          const names = ['v', 'w', 'made', 'extras', 'v__KEYS', 'w__VALUES'];
          const schema = {
            dimensionFieldSpecs: names.map((name) => ({
              name,
              dataType,
              singleValueField: isLenient,
            })),
          };
          const ingestionConfig = { ...part, continueOnError: isLenient };
          const { rows, dropped } = await run(
            [...values.map((v) => ({ v })), { v: '1' }],
            { ingestionConfig },
            schema,
          );
          expect(
            [...rows, ...dropped].some(({ sourceIndex }) => sourceIndex === values.length),
          ).toBe(true);
        }
      }
    },
  );

  test('a step that fails in a way that nobody has thought of fails that row, by its name', async () => {
    // A getter that throws simulates a defect of a step.
    const broken = {
      get v(): number {
        throw new TypeError('v is not a function');
      },
    };
    const rows: readonly SourceRow[] = [{ v: 1 }, broken, { v: 2 }];
    const schema = { dimensionFieldSpecs: [{ name: 'v', dataType: 'INT' }] };
    const result = await runPipeline(rows, { config: {}, schema, clock });
    expect(result.rows.map(({ fields }) => ({ ...fields }))).toEqual([{ v: 1 }, { v: 2 }]);
    expect(result.dropped).toMatchObject([
      { sourceIndex: 1, kind: 'failed', reason: expect.stringContaining('cannot be processed') },
    ]);
  });
});

describe('the check of times', () => {
  const formats = [
    ...[
      'NANOSECONDS',
      'MICROSECONDS',
      'MILLISECONDS',
      'SECONDS',
      'MINUTES',
      'HOURS',
      'DAYS',
      'WEEKS',
      'MONTHS',
      'YEARS',
    ].flatMap((unit) => [`1:${unit}:EPOCH`, `EPOCH|${unit}|5`, `2147483647:${unit}:EPOCH`]),
    '1:MILLISECONDS:TIMESTAMP',
    'TIMESTAMP',
    '1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd',
    '1:DAYS:SIMPLE_DATE_FORMAT:yyyy',
    "SIMPLE_DATE_FORMAT|yyyy-MM-dd'T'HH:mm:ss.SSSZ",
    'SIMPLE_DATE_FORMAT',
  ];
  const types = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'STRING', 'TIMESTAMP', 'BIG_DECIMAL', 'BOOLEAN'];
  const extremes = fc.oneof(
    fc.constantFrom<SourceValue>(
      ...values.filter((value) => typeof value !== 'string' || value.length < 100),
    ),
    fc.constantFrom<SourceValue>(
      1_700_000_000_000,
      1_700_000_000_000n * 1_000_000n,
      -62_135_596_800_000,
      8.64e15,
      8.64e15 + 1,
      '99999999999999',
      '+275760-09-13T00:00:00.001Z',
      '00000000',
      '99991231',
    ),
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double(),
    fc.string(),
  );

  test('the check of times takes a time from 1971 to 2070 or fails the row, whatever the type, the format and the value', async () => {
    const scene = fc.record({
      format: fc.constantFrom(...formats),
      dataType: fc.constantFrom(...types),
      continueOnError: fc.boolean(),
      given: fc.array(extremes, { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(scene, async ({ format, dataType, continueOnError, given }) => {
        await run(
          given.map((t) => ({ t })),
          {
            ingestionConfig: { rowTimeValueCheck: true, continueOnError },
            segmentsConfig: { timeColumnName: 't' },
          },
          { dateTimeFieldSpecs: [{ name: 't', dataType, format }] },
        );
      }),
      { numRuns: 1_500 },
    );
  });

  test.for(['SECONDS', 'MINUTES', 'HOURS', 'DAYS'])(
    'milliseconds in a column of %s are outside',
    async (unit) => {
      const { dropped } = await run(
        [{ t: 1_700_000_000_000 }],
        { ingestionConfig: { rowTimeValueCheck: true }, segmentsConfig: { timeColumnName: 't' } },
        { dateTimeFieldSpecs: [{ name: 't', dataType: 'LONG', format: `1:${unit}:EPOCH` }] },
      );
      expect(dropped.map(({ step, column, reason }) => [step, column, reason])).toEqual([
        ['timeCheck', 't', expect.stringMatching(/ is outside the years 1971 to 2070\.$/)],
      ]);
    },
  );
});
