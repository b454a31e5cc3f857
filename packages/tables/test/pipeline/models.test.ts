import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { completeTableConfig, parseTableConfig } from '../../src/config/table-config.ts';
import { runPipeline } from '../../src/pipeline/run-pipeline.ts';
import type { PipelineConfig, PipelineSchema } from '../../src/pipeline/column-spec.ts';
import { completeTableSchema, parseTableSchema } from '../../src/config/table-schema.ts';

const { config } = parseTableConfig({
  tableName: 'orders',
  segmentsConfig: { timeColumnName: 'day' },
  ingestionConfig: {
    complexTypeConfig: { fieldsToUnnest: ['items'] },
    transformConfigs: [{ columnName: 'total', transformFunction: '"items.price" * 2' }],
    filterConfig: { filterFunction: 'total > 100' },
  },
});
const { schema } = parseTableSchema({
  schemaName: 'orders',
  dimensionFieldSpecs: [{ name: 'items.name', dataType: 'STRING' }],
  metricFieldSpecs: [{ name: 'total', dataType: 'DOUBLE' }],
  dateTimeFieldSpecs: [
    { name: 'day', dataType: 'LONG', format: '1:DAYS:EPOCH', granularity: '1:DAYS' },
  ],
});
const rows = [
  { day: 20_000, items: [{ name: 'a', price: 1 }, { name: 'b', price: 99 }, { name: 'c' }] },
];

const outcome = {
  rows: [
    {
      sourceIndex: 0,
      fields: { 'items.name': 'a', total: 2, day: 20_000 },
      nullFields: [],
      isIncomplete: false,
      isSanitized: false,
    },
    {
      sourceIndex: 0,
      fields: { 'items.name': 'c', total: 0, day: 20_000 },
      nullFields: ['total'],
      isIncomplete: false,
      isSanitized: false,
    },
  ],
  counts: { read: 1, unnested: 2, filtered: 1, failed: 0, incomplete: 0, sanitized: 0 },
  findings: [],
};

test.each<[string, PipelineConfig, PipelineSchema]>([
  ['as they were written', config, schema],
  [
    'completed',
    completeTableConfig(config) as PipelineConfig,
    completeTableSchema(schema) as PipelineSchema,
  ],
])(
  'the models of table configs and schemas are what the pipeline reads, %s',
  async (_how, givenConfig, givenSchema) => {
    const {
      rows: kept,
      counts,
      findings,
    } = await runPipeline(rows, {
      config: givenConfig,
      schema: givenSchema,
      clock: new ManualClock(),
    });
    expect({ rows: kept, counts, findings }).toEqual(outcome);
  },
);

test('a section that was left out does not act because its config was completed', async () => {
  const completed = completeTableConfig(
    parseTableConfig({ tableName: 'orders' }).config,
  ) as PipelineConfig;
  const nested = [{ id: 1, user: { name: 'x' } }];
  const { rows: kept } = await runPipeline(nested, {
    config: completed,
    schema: {},
    clock: new ManualClock(),
  });
  expect(kept.map(({ fields }) => fields)).toEqual(nested);
});

test('an empty section acts', async () => {
  const { config: written } = parseTableConfig({ ingestionConfig: { complexTypeConfig: {} } });
  const { rows: kept } = await runPipeline([{ user: { name: 'x' } }], {
    config: written,
    schema: {},
    clock: new ManualClock(),
  });
  expect(kept.map(({ fields }) => fields)).toEqual([{ 'user.name': 'x' }]);
});
