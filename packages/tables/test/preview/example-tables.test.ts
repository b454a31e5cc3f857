import fc from 'fast-check';
import { expect, test } from 'vitest';
import { codesOf, previewOf, rowsOf } from './preview-of.ts';

/** The structures of Apache Pinot's public example tables, rewritten, with similar rows. */

test('events whose payload is kept as JSON, with a time from text', async () => {
  const preview = await previewOf({
    tableConfig: {
      tableName: 'githubEvents',
      tableType: 'OFFLINE',
      segmentsConfig: { timeColumnName: 'created_at_timestamp', replication: '1' },
      ingestionConfig: {
        transformConfigs: [
          {
            columnName: 'created_at_timestamp',
            transformFunction: "fromDateTime(created_at, 'yyyy-MM-dd''T''HH:mm:ss''Z''')",
          },
          { columnName: 'actor_json', transformFunction: 'jsonFormat(actor)' },
          { columnName: 'login', transformFunction: "jsonPathString(actor, '$.login', 'nobody')" },
        ],
      },
    },
    schema: {
      schemaName: 'githubEvents',
      dimensionFieldSpecs: [
        { name: 'id', dataType: 'STRING' },
        { name: 'actor_json', dataType: 'JSON' },
        { name: 'login', dataType: 'STRING' },
      ],
      dateTimeFieldSpecs: [
        {
          name: 'created_at_timestamp',
          dataType: 'TIMESTAMP',
          format: 'TIMESTAMP',
          granularity: 'MILLISECONDS|1',
        },
      ],
    },
    sourceRows: rowsOf(
      {
        id: 1,
        created_at: '2018-01-01T11:00:00Z',
        actor: { login: 'ann', id: 9_007_199_254_740_993n },
      },
      { id: 2, created_at: '2018-01-01T11:00:01Z', actor: {} },
    ),
  });
  expect(preview.rows.map(({ fieldToValueMap }) => fieldToValueMap)).toEqual([
    {
      id: '1',
      created_at_timestamp: 1_514_804_400_000,
      actor_json: '{"login":"ann","id":9007199254740993}',
      login: 'ann',
    },
    { id: '2', created_at_timestamp: 1_514_804_401_000, actor_json: '{}', login: 'nobody' },
  ]);
  expect(preview.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('flights by days since the epoch, with lists', async () => {
  const preview = await previewOf({
    tableConfig: {
      tableName: 'airlineStats',
      segmentsConfig: { timeColumnName: 'DaysSinceEpoch', replication: '1' },
      ingestionConfig: {
        transformConfigs: [
          { columnName: 'ts', transformFunction: 'fromEpochDays(DaysSinceEpoch)' },
        ],
      },
    },
    schema: {
      schemaName: 'airlineStats',
      dimensionFieldSpecs: [
        { name: 'Carrier', dataType: 'STRING' },
        { name: 'DivAirports', dataType: 'STRING', singleValueField: false },
      ],
      metricFieldSpecs: [{ name: 'ArrDelay', dataType: 'INT' }],
      dateTimeFieldSpecs: [
        { name: 'DaysSinceEpoch', dataType: 'INT', format: 'EPOCH|DAYS|1', granularity: 'DAYS|1' },
        { name: 'ts', dataType: 'TIMESTAMP', format: 'TIMESTAMP', granularity: 'DAYS|1' },
      ],
    },
    sourceRows: rowsOf({
      Carrier: 'AA',
      DivAirports: ['SFO', 'LAX'],
      DaysSinceEpoch: 16_071,
      ArrDelay: null,
    }),
  });
  expect(preview.rows[0]).toMatchObject({
    fieldToValueMap: {
      Carrier: 'AA',
      DivAirports: ['SFO', 'LAX'],
      ArrDelay: 0,
      DaysSinceEpoch: 16_071,
      ts: 16_071 * 86_400_000,
    },
    nullValueFields: ['ArrDelay'],
  });
  expect(preview.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('a stream of answers to invitations, unnested', async () => {
  const preview = await previewOf({
    tableConfig: {
      tableName: 'meetupRsvp',
      ingestionConfig: {
        complexTypeConfig: {
          fieldsToUnnest: ['group.group_topics'],
          prefixesToRename: { 'group.': '' },
        },
        filterConfig: { filterFunction: "response IS NOT DISTINCT FROM 'no'" },
      },
    },
    sourceRows: rowsOf(
      { response: 'yes', group: { city: 'Ulm', group_topics: [{ name: 'a' }, { name: 'b' }] } },
      { response: 'no', group: { city: 'Bonn', group_topics: [{ name: 'c' }] } },
    ),
  });
  expect(preview.rows.map(({ fieldToValueMap }) => fieldToValueMap)).toEqual([
    { response: 'yes', city: 'Ulm', 'group_topics.name': 'a' },
    { response: 'yes', city: 'Ulm', 'group_topics.name': 'b' },
  ]);
  expect(preview.summary).toMatchObject({
    getnSourceRows: 2,
    getnRows: 2,
    getnFilteredRows: 1,
    getnUnnestedRows: 1,
  });
});

const value = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.bigInt(),
  fc.array(fc.integer()),
);
const rows = fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c c', 'd'), value), {
  maxLength: 20,
});

test('an inferred table takes every row that it was inferred from', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      const { summary } = await previewOf({ sourceRows: rowsOf(...given) });
      expect(summary).toMatchObject({
        getnFailedRows: 0,
        getnIncompleteRows: 0,
        getnFilteredRows: 0,
      });
    }),
  );
});

test('no row is lost without being counted, and the same request has the same answer', async () => {
  const filters = fc.constantFrom('a > 0', "b = 'x'", 'd', '', 'nonsense(');
  await fc.assert(
    fc.asyncProperty(
      rows,
      filters,
      fc.boolean(),
      async (given, filterFunction, continueOnError) => {
        const ingestionConfig = {
          filterConfig: { filterFunction },
          continueOnError,
          complexTypeConfig: { fieldsToUnnest: ['d'] },
        };
        const request = {
          tableConfig: { tableName: 't', ingestionConfig },
          schema: {
            schemaName: 't',
            dimensionFieldSpecs: [
              { name: 'a', dataType: 'INT' },
              { name: 'd', dataType: 'LONG' },
            ],
          },
          sourceRows: rowsOf(...given),
        };
        const preview = await previewOf(request);
        const { getnSourceRows, getnRows, getnFilteredRows, getnFailedRows, getnUnnestedRows } =
          preview.summary;
        expect(getnRows + getnFilteredRows + getnFailedRows).toBe(
          getnSourceRows + getnUnnestedRows,
        );
        expect(await previewOf(request)).toEqual(preview);
        expect(codesOf(preview).some((code) => code.startsWith('ROWS_FAILED'))).toBe(
          getnFailedRows > 0,
        );
      },
    ),
  );
});
