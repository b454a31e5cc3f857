import { yieldToEventLoop } from '@quire/core/wait';
import { ManualClock } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import { runPipeline } from '../../src/pipeline/run-pipeline.ts';
import { planPipeline } from '../../src/pipeline/plan-pipeline.ts';
import { stepNames } from '../../src/pipeline/journal.ts';
import { column, run } from './run.ts';

const everything = {
  continueOnError: true,
  rowTimeValueCheck: true,
  enrichmentConfigs: [
    { enricherType: 'generateColumn', properties: { fieldToFunctionMap: { g: "'g'" } } },
  ],
  complexTypeConfig: { fieldsToUnnest: ['items'], prefixesToRename: { 'items.': '' } },
  transformConfigs: [{ columnName: 'total', transformFunction: 'price * count' }],
  filterConfig: { filterFunction: 'count = 0' },
  schemaConformingTransformerConfig: { indexableExtrasField: 'extras' },
};
const dimensions = [
  column('name', 'STRING', { maxLength: 3 }),
  column('total', 'DOUBLE'),
  column('extras', 'JSON'),
];
const times = [column('t', 'LONG', { format: '1:MILLISECONDS:EPOCH' })];

test('steps run in the documented order', () => {
  const schema = { dimensionFieldSpecs: dimensions, dateTimeFieldSpecs: times };
  const config = { ingestionConfig: everything, segmentsConfig: { timeColumnName: 't' } };
  const { steps, findings } = planPipeline({ config, schema, clock: new ManualClock() });
  const names = steps.map(({ name }) => name);
  expect(findings).toEqual([]);
  // With this config, enrichment runs after unnesting.
  expect(names).toEqual([
    'flatten',
    'unnest',
    'renamePrefixes',
    'enrichment',
    ...stepNames.slice(4),
  ]);
});

test('a row goes the whole way, and every step says what it did', async () => {
  const row = {
    t: Date.UTC(2024, 0, 1),
    items: [
      { name: 'apple', price: '2', count: 3 },
      { name: 'pear', count: 0 },
    ],
  };
  const { rows, counts, changes, dropped } = await run([row], {
    ingestion: everything,
    dimensions,
    times,
    timeColumnName: 't',
  });
  expect(rows).toEqual([
    {
      sourceIndex: 0,
      fields: {
        t: Date.UTC(2024, 0, 1),
        name: 'app',
        total: 6,
        extras: '{"price":"2","g":"g","count":3}',
      },
      nullFields: [],
      isIncomplete: false,
      isSanitized: true,
    },
  ]);
  expect(counts).toEqual({
    read: 1,
    unnested: 1,
    filtered: 1,
    failed: 0,
    incomplete: 0,
    sanitized: 1,
  });
  expect(dropped).toEqual([
    { sourceIndex: 0, step: 'filter', kind: 'filtered', reason: 'the filter is true' },
  ]);
  expect(changes.map(({ step, kind, column: name, count }) => [step, kind, name, count])).toEqual([
    ['unnest', 'unnested', undefined, 1],
    ['renamePrefixes', 'added', 'name', 2],
    ['renamePrefixes', 'removed', 'items.name', 2],
    ['renamePrefixes', 'added', 'price', 1],
    ['renamePrefixes', 'removed', 'items.price', 1],
    ['renamePrefixes', 'added', 'count', 2],
    ['renamePrefixes', 'removed', 'items.count', 2],
    ['enrichment', 'added', 'g', 2],
    ['transform', 'added', 'total', 1],
    ['filter', 'filtered', undefined, 1],
    ['schemaConforming', 'added', 'extras', 1],
    ['dataType', 'changed', 'extras', 1],
    ['sanitize', 'changed', 'name', 1],
  ]);
});

test('everything is counted, but only so many examples are kept', async () => {
  const rows = Array.from({ length: 50 }, (_, index) => ({ a: String(index) }));
  const schema = { dimensionFieldSpecs: [column('a', 'INT')] };
  const { changes } = await runPipeline(rows, {
    config: {},
    schema,
    clock: new ManualClock(),
    examplesMax: 2,
  });
  expect(changes).toEqual([
    {
      step: 'dataType',
      kind: 'changed',
      column: 'a',
      count: 50,
      examples: [
        { sourceIndex: 0, before: '0', after: 0 },
        { sourceIndex: 1, before: '1', after: 1 },
      ],
    },
  ]);
});

describe('others run meanwhile', () => {
  /** A clock that advances by a millisecond at each reading. */
  class WorkingClock extends ManualClock {
    #looks = 0;
    override monotonicMs(): number {
      this.#looks += 1;
      return this.#looks;
    }
  }
  const rows = Array.from({ length: 100 }, (_, index) => ({ a: index }));

  test('others have their turn during a pipeline after every few milliseconds of work', async () => {
    let turns = 0;
    const running = runPipeline(rows, { config: {}, schema: {}, clock: new WorkingClock() });
    let isRunning = true;
    const others = async (): Promise<void> => {
      for (; isRunning; turns += 1) await yieldToEventLoop();
    };
    const [result] = await Promise.all([running.finally(() => (isRunning = false)), others()]);
    expect(result.counts.read).toBe(100);
    expect(turns).toBe(20);
  });

  test('an abort during a pause ends the run', async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const running = runPipeline(rows, {
      config: {},
      schema: {},
      clock: new WorkingClock(),
      signal: controller.signal,
    });
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
  });

  test('rows of a pipeline may come one by one', async () => {
    const source = async function* () {
      yield* rows.slice(0, 3);
    };
    const result = await runPipeline(source(), {
      config: {},
      schema: {},
      clock: new ManualClock(),
    });
    expect(result.rows.map(({ fields }) => fields)).toEqual([{ a: 0 }, { a: 1 }, { a: 2 }]);
  });
});
