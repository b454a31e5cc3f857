import { ManualClock } from '@quire/core/testing';
import { runPipeline, type PipelineConfig, type PipelineSchema } from '@quire/tables';
import fc from 'fast-check';
import { plainDouble } from './argument-for.ts';
import type { Given } from './argument-pools.ts';
import { valueOf } from './given-value.ts';
import type { JudgedValue, Piped, PinotJudge } from './pinot-judge.ts';
import { isSameValue } from './same-value.ts';

/** A table and rows for it. */
export interface PipelineCase {
  readonly config: PipelineConfig & { readonly tableName: string };
  readonly schema: PipelineSchema & { readonly schemaName: string };
  readonly rows: readonly Readonly<Record<string, Given>>[];
}

/** The outcome of one row of the source. */
export interface RowComparison {
  readonly row: Readonly<Record<string, Given>>;
  readonly schema: PipelineSchema;
  readonly judged: unknown;
  readonly ours: unknown;
  readonly agrees: boolean;
}

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
] as const;
type ColumnType = (typeof types)[number];
const names = ['a', 'b', 'c', 'd', 'e'] as const;

const scalar: fc.Arbitrary<Given> = fc.oneof(
  fc.constantFrom<Given>(
    0,
    1,
    -1,
    42,
    2_147_483_648,
    1_704_067_200_000,
    2.5,
    -0.5,
    1e10,
    1e-5,
    123_456_789.125,
  ),
  fc.constantFrom<Given>(
    { $double: '100.0' },
    { $double: '-0.0' },
    { $double: 'NaN' },
    { $float: '0.1' },
    { $long: '7' },
    { $bytes: '0aff' },
  ),
  fc.constantFrom<Given>(
    '',
    'abc',
    'true',
    'False',
    '1',
    '42',
    ' 7 ',
    '2.50',
    '1e3',
    '00ff',
    'zz',
    'null',
    '2024-02-29 12:34:56',
    '2024-02-29',
    '1704067200000',
    'a\0b',
    'é',
  ),
  fc.constantFrom<Given>('{"b": 1.50, "a": [1, 2]}', '[1,2]', '"x"', '{bad', true, false),
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.string({ maxLength: 8 }),
  plainDouble({ min: -1e6, max: 1e6 }),
);
const nested: fc.Arbitrary<Given> = fc.oneof(
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('x', 'y', 'key', 'z9'), scalar, { maxKeys: 3 }),
  fc.array(fc.dictionary(fc.constantFrom('x', 'y'), scalar, { maxKeys: 2 }), { maxLength: 2 }),
  fc.constantFrom<Given>({ x: { y: 1, z: [1, 2] } }, [[1, 2], [3]], [null, 1], { x: null }, [], {}),
);
const cell = fc.oneof(
  { arbitrary: scalar, weight: 7 },
  { arbitrary: nested, weight: 2 },
  { arbitrary: fc.constant(null), weight: 1 },
);

/** The usual values of a column of a type, so that most rows are accepted. */
const fitting: Readonly<Record<ColumnType, fc.Arbitrary<Given>>> = {
  INT: fc.oneof(fc.integer({ min: -100, max: 100 }), fc.constantFrom<Given>('42', '-7', 2.5, true)),
  LONG: fc.oneof(fc.maxSafeInteger(), fc.constantFrom<Given>('1704067200000', 1.5)),
  FLOAT: fc.oneof(
    fc.constantFrom<Given>(0.1, '1.5', 3, { $double: '-0.0' }, { $double: 'NaN' }),
    fc.integer(),
  ),
  DOUBLE: fc.oneof(
    plainDouble({}),
    fc.constantFrom<Given>('1e3', 3, { $double: '-0.0' }, { $double: 'NaN' }),
  ),
  BIG_DECIMAL: fc.constantFrom<Given>(
    '1.500',
    2.5,
    100,
    '0',
    '-0.00',
    '12345678901234567890',
    1e21,
    '1E+3',
  ),
  BOOLEAN: fc.constantFrom<Given>(true, false, 'true', 'FALSE', '1', 0, 1, 5, 'yes'),
  TIMESTAMP: fc.constantFrom<Given>(
    1_704_067_200_000,
    '2024-02-29 12:34:56',
    '2024-02-29T12:34:56Z',
    '1704067200000',
    '2024-13-01',
    '2024-02-29 25:00:00',
  ),
  STRING: fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom<Given>(5, 2.5, true, 'a\0b', { $double: '100.0' }),
  ),
  JSON: fc.constantFrom<Given>(
    '{"b": 1, "a": 2.50}',
    'abc',
    { b: 1, a: [1.5] },
    [1, 'x'],
    5,
    'null',
    '[1, 2 ]',
    true,
  ),
  BYTES: fc.constantFrom<Given>('00ff', { $bytes: '0aff' }, '', 'ABCD'),
};

const columns = fc.array(
  fc.record({
    type: fc.constantFrom(...types),
    isMultiValue: fc.boolean(),
    maxLength: fc.option(fc.constantFrom(3, 5), { nil: undefined }),
    strategy: fc.option(
      fc.constantFrom('TRIM_LENGTH', 'ERROR', 'SUBSTITUTE_DEFAULT_VALUE', 'NO_ACTION'),
      { nil: undefined },
    ),
    isMetric: fc.boolean(),
    hasDefault: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

const transforms: readonly string[] = [
  'concat(a, b)',
  'a + 1',
  "jsonPathString(a, '$.x', 'none')",
  'upper(a)',
  'arrayLength(b)',
  'jsonFormat(b)',
  'a',
  'CAST(b AS STRING)',
  "split(a, ',')",
  'CASE WHEN a = 1 THEN b ELSE c END',
  'coalesce(a, b, c)',
  'toEpochDays(1709209845678)',
  "fromDateTime('2024-02-29', 'yyyy-MM-dd')",
  'isNull(a)',
  'toTimestamp(1709209845678)',
  'md5(toUtf8(a))',
  'a * b',
];
const filters: readonly string[] = [
  'a = 1',
  'isNull(a)',
  'a > 5 AND b IS NOT NULL',
  "a IS NOT DISTINCT FROM 'true'",
  'a',
  'CAST(a AS BOOLEAN)',
];

/** Tables of every type of column with every step of the pipeline, and rows that mostly fit. */
export const pipelineCases: fc.Arbitrary<PipelineCase> = fc
  .record({
    columns,
    continueOnError: fc.boolean(),
    filter: fc.option(fc.constantFrom(...filters), { nil: undefined, freq: 5 }),
    transforms: fc.array(fc.constantFrom(...transforms), { maxLength: 2 }),
    complexTypeConfig: fc.option(
      fc.record({
        fieldsToUnnest: fc.option(fc.subarray(['a', 'b', 'b.x', 'a.z']), { nil: undefined }),
        delimiter: fc.option(fc.constantFrom('.', '_'), { nil: undefined }),
        collectionNotUnnestedToJson: fc.option(fc.constantFrom('NONE', 'NON_PRIMITIVE', 'ALL'), {
          nil: undefined,
        }),
        prefixesToRename: fc.option(
          fc.constantFrom<Readonly<Record<string, string>>>(
            { 'a.': '' },
            { b: 'n' },
            { 'a.x': 'c' },
          ),
          {
            nil: undefined,
            freq: 4,
          },
        ),
      }),
      { nil: undefined, freq: 2 },
    ),
    generated: fc.option(
      fc.constantFrom<Readonly<Record<string, string>>>(
        { a: "concat(b, 'x')" },
        { n: 'upper(a)', b: 'n' },
      ),
      {
        nil: undefined,
        freq: 6,
      },
    ),
    isBefore: fc.boolean(),
  })
  .chain((drawn) => {
    const typed = drawn.columns.map((column, index) => ({ ...column, name: names[index] ?? 'z' }));
    const cells = Object.fromEntries(
      names.map((name) => {
        const column = typed.find((each) => each.name === name);
        if (column === undefined) return [name, cell];
        const single = fitting[column.type];
        const fits = column.isMultiValue
          ? fc.oneof(fc.array(single, { maxLength: 3 }), single)
          : single;
        return [name, fc.oneof({ arbitrary: fits, weight: 8 }, { arbitrary: cell, weight: 2 })];
      }),
    );
    return fc.record({
      drawn: fc.constant({ ...drawn, typed }),
      rows: fc.array(fc.record(cells, { requiredKeys: [] }), { minLength: 4, maxLength: 6 }),
    });
  })
  .map(({ drawn, rows }) => ({
    config: configOf(drawn),
    schema: schemaOf(drawn.typed),
    rows: rows as PipelineCase['rows'],
  }));

interface DrawnColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly isMultiValue: boolean;
  readonly maxLength: number | undefined;
  readonly strategy: string | undefined;
  readonly isMetric: boolean;
  readonly hasDefault: boolean;
}

const defaults: Readonly<Record<ColumnType, unknown>> = {
  INT: 7,
  LONG: '8',
  FLOAT: 1.5,
  DOUBLE: '2.5',
  BIG_DECIMAL: '1.50',
  BOOLEAN: 'true',
  TIMESTAMP: '2024-01-01 00:00:00',
  STRING: 'no',
  JSON: '{}',
  BYTES: '00',
};

function schemaOf(drawn: readonly DrawnColumn[]): PipelineCase['schema'] {
  const specs = drawn.map(
    ({ name, type, isMultiValue, maxLength, strategy, isMetric, hasDefault }) => {
      const canBeMany = isMultiValue && type !== 'JSON' && type !== 'BIG_DECIMAL';
      const isNumber = ['INT', 'LONG', 'FLOAT', 'DOUBLE', 'BIG_DECIMAL', 'BYTES'].includes(type);
      const spec = {
        name,
        dataType: type,
        ...(canBeMany && { singleValueField: false }),
        ...(maxLength !== undefined && { maxLength }),
        ...(strategy !== undefined && { maxLengthExceedStrategy: strategy }),
        ...(hasDefault && { defaultNullValue: defaults[type] }),
      };
      return { spec, isMetric: isMetric && isNumber && !canBeMany };
    },
  );
  return {
    schemaName: 't',
    dimensionFieldSpecs: specs.filter(({ isMetric }) => !isMetric).map(({ spec }) => spec),
    metricFieldSpecs: specs.filter(({ isMetric }) => isMetric).map(({ spec }) => spec),
  };
}

function configOf(drawn: {
  readonly continueOnError: boolean;
  readonly filter: string | undefined;
  readonly transforms: readonly string[];
  readonly complexTypeConfig: object | undefined;
  readonly generated: Readonly<Record<string, string>> | undefined;
  readonly isBefore: boolean;
  readonly typed: readonly DrawnColumn[];
}): PipelineCase['config'] {
  const targets = drawn.typed.map(({ name }) => name).toReversed();
  const transformConfigs = drawn.transforms.flatMap((transformFunction, index) => {
    const columnName = targets[index];
    return columnName === undefined ? [] : [{ columnName, transformFunction }];
  });
  return {
    tableName: 't_OFFLINE',
    tableType: 'OFFLINE',
    segmentsConfig: { replication: '1' },
    tenants: {},
    tableIndexConfig: {},
    ingestionConfig: {
      ...(drawn.continueOnError && { continueOnError: true }),
      ...(drawn.filter !== undefined && { filterConfig: { filterFunction: drawn.filter } }),
      ...(transformConfigs.length > 0 && { transformConfigs }),
      ...(drawn.complexTypeConfig !== undefined && {
        complexTypeConfig: withoutUndefined(drawn.complexTypeConfig),
      }),
      ...(drawn.generated !== undefined && {
        enrichmentConfigs: [
          {
            enricherType: 'generateColumn',
            properties: { fieldToFunctionMap: drawn.generated },
            preComplexTypeTransform: drawn.isBefore,
          },
        ],
      }),
    },
  } as PipelineCase['config'];
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

/** Runs the rows of a table through both pipelines, one after the other. */
export async function compareRows(
  judge: PinotJudge,
  { config, schema, rows }: PipelineCase,
): Promise<readonly RowComparison[]> {
  const judged = await judge.pipeline(config, schema, rows);
  const given = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, valueOf(value)])),
  );
  const result = await runPipeline(given as never, { config, schema, clock: new ManualClock() });
  const isRefused = result.findings.some(({ severity }) => severity === 'error');
  return rows.map((row, index) => {
    const answer = answerFor(judged, index);
    const hasFailed = result.dropped.some(
      ({ kind, sourceIndex }) => kind === 'failed' && sourceIndex === index,
    );
    const mine = isRefused
      ? 'refused'
      : hasFailed
        ? 'failed'
        : result.rows
            .filter(({ sourceIndex }) => sourceIndex === index)
            .map(({ fields, nullFields, isIncomplete, isSanitized }) => ({
              fields,
              nullFields,
              isIncomplete,
              isSanitized,
            }));
    return { row, schema, judged: answer, ours: mine, agrees: isSameOutcome(answer, mine, schema) };
  });
}

function answerFor(judged: Piped, index: number): unknown {
  if (judged.refused !== undefined) return `refused: ${judged.refused}`;
  const result = judged.results[index];
  if (result === undefined || result.error !== undefined) return `failed: ${result?.error}`;
  return result.rows;
}

/** Reports whether two outcomes of a row are the same. */
export function isSameOutcome(judged: unknown, ours: unknown, schema: PipelineSchema): boolean {
  if (typeof judged === 'string' || typeof ours === 'string') {
    return typeof judged === 'string' && typeof ours === 'string' && judged.split(':')[0] === ours;
  }
  const [left, right] = [
    judged as readonly RowShape<JudgedValue>[],
    ours as readonly RowShape<unknown>[],
  ];
  const specs = [
    ...(schema.dimensionFieldSpecs ?? []),
    ...(schema.metricFieldSpecs ?? []),
    ...(schema.dateTimeFieldSpecs ?? []),
    ...(schema.complexFieldSpecs ?? []),
  ];
  return (
    left.length === right.length &&
    left.every((row, index) => {
      const other = right[index];
      return (
        other !== undefined &&
        row.isIncomplete === other.isIncomplete &&
        row.isSanitized === other.isSanitized &&
        row.nullFields.join('\0') === other.nullFields.toSorted().join('\0') &&
        specs.every(({ name = '', dataType }) =>
          isSameValue(
            row.fields[name],
            dataType === 'BOOLEAN' ? asNumbers(other.fields[name]) : other.fields[name],
          ),
        )
      );
    })
  );
}

interface RowShape<T> {
  readonly fields: Readonly<Record<string, T>>;
  readonly nullFields: readonly string[];
  readonly isIncomplete: boolean;
  readonly isSanitized: boolean;
}

/** The engine stores Booleans as 0 and 1; rows show true and false. */
function asNumbers(value: unknown): unknown {
  return Array.isArray(value)
    ? value.map(Number)
    : typeof value === 'boolean'
      ? Number(value)
      : value;
}
