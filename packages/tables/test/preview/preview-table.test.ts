import { describe, expect, test } from 'vitest';
import { codesOf, previewOf, rowsOf } from './preview-of.ts';

const schema = {
  schemaName: 'orders',
  dimensionFieldSpecs: [
    { name: 'id', dataType: 'LONG' },
    { name: 'city', dataType: 'STRING', maxLength: 5 },
  ],
  metricFieldSpecs: [{ name: 'price', dataType: 'DOUBLE' }],
};

const tableConfig = {
  tableName: 'orders',
  ingestionConfig: {
    continueOnError: true,
    filterConfig: { filterFunction: 'price < 0' },
    transformConfigs: [{ columnName: 'city', transformFunction: 'upper(town)' }],
  },
};

const streamTable = {
  tableName: 't',
  tableType: 'REALTIME',
  tableIndexConfig: { streamConfigs: { streamType: 'file' } },
};

describe('with a given config and schema', () => {
  test('every row of a preview is shown as the table would hold it, and counted by its outcome', async () => {
    const sourceRows = rowsOf(
      { id: 9_007_199_254_740_993n, town: 'Ulm', price: '1.5' },
      { id: 2, town: 'Heidelberg', price: 2 },
      { id: 'x', town: 'Bonn', price: 3 },
      { id: 4, town: 'Köln', price: -1 },
    );
    const preview = await previewOf({ tableConfig, schema, sourceRows });
    expect(preview.rows).toEqual([
      {
        nullValueFields: [],
        fieldToValueMap: { id: 9_007_199_254_740_993n, price: 1.5, city: 'ULM' },
        sourceIndex: 0,
        incomplete: false,
        sanitized: false,
      },
      {
        nullValueFields: [],
        fieldToValueMap: { id: 2, price: 2, city: 'HEIDE' },
        sourceIndex: 1,
        incomplete: false,
        sanitized: true,
      },
      {
        nullValueFields: ['id'],
        fieldToValueMap: { id: -(2n ** 63n), price: 3, city: 'BONN' },
        sourceIndex: 2,
        incomplete: true,
        sanitized: false,
      },
    ]);
    expect(preview.summary).toEqual({
      getnSourceRows: 4,
      getnSourceColumns: 3,
      getnRows: 3,
      getnColumns: 3,
      getnFilteredRows: 1,
      getnFailedRows: 0,
      getnUnnestedRows: 0,
      getnIncompleteRows: 1,
      getnSanitizedRows: 1,
      batch: { getnMatchingFiles: 0 },
      realtime: {
        getnPartitions: 0,
        getnRunnables: 0,
        getnRunnablesWithException: 0,
        partitionMetadataFetchTimeMs: 0,
      },
    });
    expect(preview.droppedRows).toEqual([
      { sourceIndex: 3, step: 'filter', kind: 'filtered', reason: 'the filter is true' },
    ]);
    expect(codesOf(preview)).toEqual(['ROWS_INCOMPLETE /sourceRows', 'ROWS_SANITIZED /sourceRows']);
    expect(preview.explanations).toEqual([]);
  });

  test('a preview with a given config and schema tells which step changed a value, and from what', async () => {
    const preview = await previewOf({
      tableConfig,
      schema,
      sourceRows: rowsOf({ id: 1, town: 'Heidelberg', price: '2' }),
    });
    expect(
      preview.changes.map(({ step, kind, column, count }) => [step, kind, column, count]),
    ).toEqual([
      ['transform', 'added', 'city', 1],
      ['dataType', 'changed', 'price', 1],
      ['sanitize', 'changed', 'city', 1],
      ['projection', 'removed', 'town', 1],
    ]);
    expect(preview.changes[2]?.examples[0]).toMatchObject({
      sourceIndex: 0,
      before: 'HEIDELBERG',
      after: 'HEIDE',
    });
  });

  test('a row that fails is dropped, and the finding says why', async () => {
    const strict = {
      ...tableConfig,
      ingestionConfig: { ...tableConfig.ingestionConfig, continueOnError: false },
    };
    const preview = await previewOf({
      tableConfig: strict,
      schema,
      sourceRows: rowsOf({ id: 'x', town: 'a', price: 1 }),
    });
    expect(preview.rows).toEqual([]);
    expect(preview.droppedRows).toMatchObject([
      { sourceIndex: 0, step: 'dataType', kind: 'failed', column: 'id' },
    ]);
    expect(codesOf(preview)).toEqual(['NO_ROWS_LEFT /sourceRows', 'ROWS_FAILED /sourceRows']);
  });

  test('findings point into the part of the request that they are about', async () => {
    const offline = {
      tableName: 'orders',
      ingestionConfig: {
        transformConfigs: [{ columnName: 'city', transformFunction: 'uper(town)' }],
      },
    };
    const preview = await previewOf({
      tableConfigs: { tableName: 'orders', schema, offline },
      sourceRows: rowsOf({ id: 1 }),
    });
    expect(preview.findings.map(({ path, severity }) => [path, severity])).toContainEqual([
      '/tableConfigs/offline/ingestionConfig/transformConfigs/0/transformFunction',
      'error',
    ]);
    expect(preview.rows).toHaveLength(1);
  });

  test('a circle of transforms is one finding for each of them, and the rows go on without them', async () => {
    const transformConfigs = [
      { columnName: 'id', transformFunction: 'price + 1' },
      { columnName: 'price', transformFunction: 'id + 1' },
    ];
    const preview = await previewOf({
      tableConfig: { tableName: 'orders', ingestionConfig: { transformConfigs } },
      schema,
      sourceRows: rowsOf({ city: 'x' }),
    });
    expect(codesOf(preview)).toEqual([
      'TRANSFORM_CYCLE /tableConfig/ingestionConfig/transformConfigs/0/transformFunction',
      'TRANSFORM_CYCLE /tableConfig/ingestionConfig/transformConfigs/1/transformFunction',
    ]);
    expect(preview.summary.getnRows).toBe(1);
  });
});

describe('without a schema', () => {
  test('a schema is inferred from all rows, with a config; both are complete and explained', async () => {
    const preview = await previewOf({
      sourceRows: rowsOf({ a: 1, user: { name: 'x' } }, { a: 2.5, user: { name: 'y' } }),
    });
    expect(preview.rows.map(({ fieldToValueMap }) => fieldToValueMap)).toEqual([
      { a: 1, 'user.name': 'x' },
      { a: 2.5, 'user.name': 'y' },
    ]);
    expect(preview.schema).toMatchObject({
      schemaName: 'table',
      metricFieldSpecs: [{ name: 'a', dataType: 'DOUBLE', maxLength: 512 }],
    });
    expect(preview.tableConfig).toMatchObject({
      tableName: 'table',
      isDimTable: false,
      upsertConfig: null,
    });
    expect(preview.tableConfigs).toMatchObject({
      tableName: 'table',
      schema: preview.schema,
      offline: preview.tableConfig,
      realtime: null,
    });
    expect(preview.findings).toEqual([]);
    expect(preview.explanations.map(({ path }) => path)).toContain('/schema/metricFieldSpecs/0');
  });

  test('columns of transforms of a given config are inferred as well, and what is given stays', async () => {
    const given = {
      tableName: 'events_OFFLINE',
      segmentsConfig: { replication: '3' },
      ingestionConfig: {
        transformConfigs: [{ columnName: 'day', transformFunction: 'toEpochDays(ts)' }],
      },
    };
    const preview = await previewOf({
      tableConfig: given,
      sourceRows: rowsOf({ ts: 1_700_000_000_000 }),
    });
    expect(preview.rows[0]?.fieldToValueMap).toEqual({ ts: 1_700_000_000_000, day: 19_675 });
    expect(preview.tableConfig).toMatchObject({
      tableName: 'events_OFFLINE',
      segmentsConfig: { replication: '3', timeColumnName: 'ts' },
    });
    expect(preview.schema).toMatchObject({ schemaName: 'events' });
  });

  test('a given schema is completed when inference is asked for', async () => {
    const request = {
      schema,
      config: { inference: { schemaInferenceEnabled: true } },
      sourceRows: rowsOf({ id: 1, extra: true }),
    };
    const preview = await previewOf(request);
    expect(preview.rows[0]?.fieldToValueMap).toMatchObject({ id: 1, extra: true });
  });

  test('the time column of an old schema is not added again when that is completed', async () => {
    const day = { name: 'day', dataType: 'INT', timeType: 'DAYS' };
    const preview = await previewOf({
      schema: { schemaName: 'a', timeFieldSpec: { incomingGranularitySpec: day } },
      config: { inference: { schemaInferenceEnabled: true } },
      sourceRows: rowsOf({ day: 19_000, extra: 'x' }),
    });
    expect(preview.schema).toMatchObject({
      dimensionFieldSpecs: [{ name: 'extra' }],
      metricFieldSpecs: [],
      dateTimeFieldSpecs: [],
    });
    expect(codesOf(preview).filter((each) => each.startsWith('COLUMN_NAME'))).toEqual([]);
  });

  test('no schema is inferred when the request says so: a finding, and no rows', async () => {
    const preview = await previewOf({
      config: { inference: { schemaInferenceEnabled: false } },
      sourceRows: rowsOf({ id: 1 }),
    });
    expect(codesOf(preview)).toContain('NO_SCHEMA /schema');
    expect([preview.schema, preview.rows]).toEqual([null, []]);
  });
});

describe('of a request', () => {
  test('the rows come back as they came', async () => {
    const sourceRows = [
      { fieldToValueMap: { id: 7, town: 'Ulm' }, nullValueFields: ['town'] },
      { id: 8, town: 'Bonn' },
    ];
    const preview = await previewOf({ sourceRows });
    expect(preview.sourceRows).toEqual([
      sourceRows[0],
      { fieldToValueMap: { id: 8, town: 'Bonn' }, nullValueFields: [] },
    ]);
    expect(preview.rows[0]?.nullValueFields).toContain('town');
  });

  test.each([
    [{}, true],
    [{ schema }, false],
    [{ schema, config: { inference: { schemaInferenceEnabled: true } } }, true],
    [{ config: { inference: { schemaInferenceEnabled: false } } }, false],
  ])(
    'a preview of the request %j tells whether a schema was inferred',
    async (request, isInferring) => {
      const preview = await previewOf({ ...request, sourceRows: rowsOf({ id: 1 }) });
      expect(preview.config).toMatchObject({ inference: { schemaInferenceEnabled: isInferring } });
    },
  );

  test.each([
    [{ rows: [{ fieldToValueMap: { id: 1 } }] }, ['ROWS_IGNORED /rows']],
    [{ rows: [] }, []],
    [{ config: { sampling: { min: 3 } } }, ['FEW_ROWS /config/sampling/min']],
    [
      { config: { sampling: { max: 0 } } },
      [
        'FEW_ROWS /config/sampling/min',
        'ROWS_CUT /sourceRows',
        'SAMPLING_LIMIT /config/sampling/max',
      ],
    ],
    [
      { config: { sampling: { max: -5, min: -1 } } },
      [
        'ROWS_CUT /sourceRows',
        'SAMPLING_LIMIT /config/sampling/max',
        'SAMPLING_LIMIT /config/sampling/min',
      ],
    ],
    [
      { config: { sampling: { min: 2, max: 1 } } },
      [
        'FEW_ROWS /config/sampling/min',
        'ROWS_CUT /sourceRows',
        'SAMPLING_LIMIT /config/sampling/min',
      ],
    ],
  ])('a preview of the request %j tells about it', async (request, codes) => {
    const preview = await previewOf({
      tableConfig,
      schema,
      ...request,
      sourceRows: rowsOf({ id: 1, town: 'Ulm', price: 1 }, { id: 2, town: 'Bonn', price: 1 }),
    });
    expect(codesOf(preview).toSorted()).toEqual(codes);
  });
});

describe('whatever the request is, the answer is a preview:', () => {
  test.each([
    ['nothing', {}, []],
    ['no object', 'x', []],
    ['rows that are not valid', { sourceRows: 'x' }, ['WRONG_TYPE /sourceRows']],
    [
      'rows of which some are not valid',
      { sourceRows: [null, { fieldToValueMap: 1 }, { a: 1 }] },
      ['SOURCE_ROW /sourceRows/0', 'SOURCE_ROW /sourceRows/1'],
    ],
    [
      'files that may not be read',
      { sourceFiles: ['/etc/passwd'] },
      ['SOURCE_NOT_ALLOWED /sourceFiles/0'],
    ],
    [
      'a deep row',
      { sourceRows: [{ fieldToValueMap: { a: deep(5000) } }] },
      ['SOURCE_ROW /sourceRows/0'],
    ],
  ])('whatever the request is, the answer is a preview: %s', async (_name, request, codes) => {
    const preview = await previewOf(request);
    expect(codesOf(preview).filter((code) => !code.startsWith('TABLE_NAME'))).toEqual(
      expect.arrayContaining(codes),
    );
    expect(preview.config).toMatchObject({ sampling: { min: 1, max: 100 } });
  });

  test('a stream is left alone where none may be opened, which a finding says', async () => {
    const preview = await previewOf({ tableConfig: streamTable });
    expect(codesOf(preview)).toContain(
      'STREAM_NOT_ALLOWED /tableConfig/tableIndexConfig/streamConfigs',
    );
  });

  test('rows beyond the limit are left out, which a finding says', async () => {
    const preview = await previewOf(
      { sourceRows: rowsOf({ a: 1 }, { a: 2 }, { a: 3 }) },
      { limits: { rowsMax: 2 } },
    );
    expect(preview.summary.getnSourceRows).toBe(2);
    expect(codesOf(preview)).toEqual(['ROWS_CUT /sourceRows']);
  });

  test('an answer is a request: the same comes out again', async () => {
    const first = await previewOf({ sourceRows: rowsOf({ a: 1, b: 'x' }, { a: null, b: 'y' }) });
    const second = await previewOf(first);
    expect({ ...second, explanations: [], unrecognizedProperties: {} }).toEqual({
      ...first,
      explanations: [],
      unrecognizedProperties: {},
    });
  });
});

function deep(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}
