import fc from 'fast-check';
import type { Given } from './argument-pools.ts';
import type { PipelineCase } from './pipeline-cases.ts';

/** A kind of date-time column: its format, a time that suits it, and other content of its rows. */
interface TimeKind {
  readonly dataType: string;
  readonly format: string;
  readonly time: Given;
  readonly others: readonly Given[];
}

const timeKinds: readonly TimeKind[] = [
  {
    dataType: 'LONG',
    format: '1:MILLISECONDS:EPOCH',
    time: 1_704_067_200_000,
    others: [
      '1709209845678',
      1.5,
      -1,
      'x',
      8_640_000_000_000_001,
      { $long: '9223372036854775807' },
      { $long: '-9223372036854775808' },
      '31536000000',
    ],
  },
  {
    dataType: 'LONG',
    format: 'EPOCH|SECONDS|1',
    time: 1_704_067_200,
    others: [1_704_067_200_000, '1709209845', 0, { $long: '9223372036854775807' }, 1e18],
  },
  {
    dataType: 'LONG',
    format: '1:HOURS:EPOCH',
    time: 473_352,
    others: [1_704_067_200_000, 1_704_067_200, '473352', { $long: '9223372036854775807' }, 1e9],
  },
  {
    dataType: 'LONG',
    format: 'EPOCH|DAYS|7',
    time: 2_817,
    others: [1_704_067_200_000, -1, 0, '2817', { $long: '-9223372036854775808' }, 5.5],
  },
  {
    dataType: 'LONG',
    format: '1:NANOSECONDS:EPOCH',
    time: { $long: '1704067200000000000' },
    others: [1_704_067_200_000, 'x', '1704067200000000001', { $long: '9223372036854775807' }],
  },
  {
    dataType: 'INT',
    format: '1:DAYS:EPOCH',
    time: 19_723,
    others: ['19783', 1, 365, 36_890, '2024-02-29', 2_147_483_647, -2_147_483_648],
  },
  {
    dataType: 'STRING',
    format: '1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd',
    time: '2024-02-29',
    others: ['2024-13-01', '24-1-1', 5, '9999-12-31', '-001-01-01', '275761-01-01', '0000-01-01'],
  },
  {
    dataType: 'STRING',
    format: 'SIMPLE_DATE_FORMAT|yyyyMMdd HH|Europe/Berlin',
    time: '20240229 12',
    others: ['20240331 02', '19700101 00', '20710101 00', '20710101 01', 'null'],
  },
  {
    dataType: 'INT',
    format: '1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd',
    time: 20_240_229,
    others: ['20240101', 20_241_399, 7, 99_991_231, 0, 10_101],
  },
  {
    dataType: 'TIMESTAMP',
    format: 'TIMESTAMP',
    time: 1_704_067_200_000,
    others: [
      '2024-02-29 12:34:56',
      '1704067200000',
      '1969-01-01 00:00:00',
      { $timestamp: '1709209845678' },
      true,
      '9999-12-31 23:59:59',
      8_640_000_000_000_001,
      '0001-01-01 00:00:00',
    ],
  },
  {
    dataType: 'STRING',
    format: 'SIMPLE_DATE_FORMAT',
    time: '2024-02-29T12:34:56Z',
    others: [
      '2024-02-29',
      '2024',
      '29.2.2024',
      '+275760-09-13T00:00:00.001Z',
      '9999-12-31T00:00:00Z',
    ],
  },
];

const maps: fc.Arbitrary<Given> = fc.oneof(
  fc.dictionary(
    fc.constantFrom('x', 'y', 'key', 'z9'),
    fc.constantFrom<Given>(1, 2.5, 'a', true, null),
    { maxKeys: 3 },
  ),
  fc.constantFrom<Given>(
    '{"b": 1.50, "a": [1, 2]}',
    { x: { y: 1 } },
    { x: [1, 2] },
    'abc',
    '{}',
    '',
    5,
    [],
    [{ x: 1 }],
    null,
  ),
);

const transforms: readonly Readonly<Record<string, string>>[] = [
  {},
  { n: "jsonPathLong(m, '$.x', 0)" },
  { at: 'toEpochDays(1709209845678)' },
  { tags: "split('a,b', ',')" },
  { n: 'arrayLength(tags)' },
];

/**
 * Tables with a column of times that is checked or not, a map, lists, a filter and nested values
 * taken apart.
 */
export const columnCases: fc.Arbitrary<PipelineCase> = fc
  .record({
    kind: fc.constantFrom(...timeKinds),
    isChecked: fc.boolean(),
    continueOnError: fc.boolean(),
    hasMap: fc.boolean(),
    made: fc.constantFrom(...transforms),
    filter: fc.option(fc.constantFrom('n = 1', 'at IS NULL', 'isNotNull(m)'), {
      nil: undefined,
      freq: 4,
    }),
    complexTypeConfig: fc.option(
      fc.constantFrom({}, { fieldsToUnnest: ['tags'] }, { delimiter: '_' }),
      {
        nil: undefined,
        freq: 4,
      },
    ),
  })
  .chain((drawn) => {
    const row = fc.record(
      {
        at: fc.oneof(
          { arbitrary: fc.constant(drawn.kind.time), weight: 3 },
          { arbitrary: fc.constantFrom<Given>(...drawn.kind.others), weight: 3 },
          { arbitrary: fc.constantFrom<Given>(null, [drawn.kind.time], { x: 1 }), weight: 1 },
        ),
        m: maps,
        n: fc.constantFrom<Given>(1, '2', null),
        tags: fc.array(fc.constantFrom<Given>('a', 1, true, 2.5), { maxLength: 3 }),
      },
      { requiredKeys: [] },
    );
    return fc.record({
      drawn: fc.constant(drawn),
      rows: fc.array(row, { minLength: 4, maxLength: 6 }),
    });
  })
  .map(
    ({
      drawn: { kind, isChecked, continueOnError, hasMap, made, filter, complexTypeConfig },
      rows,
    }) => {
      const transformConfigs = Object.entries(made).map(([columnName, transformFunction]) => ({
        columnName,
        transformFunction,
      }));
      // The default is a fixed time, because without one it is the current time.
      const at = {
        name: 'at',
        dataType: kind.dataType,
        format: kind.format,
        granularity: '1:DAYS',
        defaultNullValue: kind.time,
      };
      return {
        config: {
          tableName: 't_OFFLINE',
          tableType: 'OFFLINE',
          segmentsConfig: { replication: '1', timeColumnName: 'at' },
          tenants: {},
          tableIndexConfig: {},
          ingestionConfig: {
            ...(isChecked && { rowTimeValueCheck: true }),
            ...(continueOnError && { continueOnError: true }),
            ...(filter !== undefined && { filterConfig: { filterFunction: filter } }),
            ...(transformConfigs.length > 0 && { transformConfigs }),
            ...(complexTypeConfig !== undefined && { complexTypeConfig }),
          },
        } as PipelineCase['config'],
        schema: {
          schemaName: 't',
          dimensionFieldSpecs: [
            { name: 'n', dataType: 'INT' },
            { name: 'tags', dataType: 'STRING', singleValueField: false },
          ],
          dateTimeFieldSpecs: [at],
          ...(hasMap && { complexFieldSpecs: [{ name: 'm', dataType: 'MAP' }] }),
        },
        rows,
      };
    },
  );
