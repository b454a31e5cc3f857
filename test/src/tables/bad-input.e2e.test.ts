import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiveTables } from './live-tables.ts';

const time = {
  name: 'ts',
  dataType: 'LONG',
  format: 'EPOCH|MILLISECONDS|1',
  granularity: 'MILLISECONDS|1',
};
const generation = 'SegmentGenerationAndPushTask';
const offline = (more: object) => ({ tableName: 'base', tableType: 'OFFLINE', ...more });
const realtime = (stream: object, more: object = {}) => ({
  tableName: 'base',
  tableType: 'REALTIME',
  segmentsConfig: { timeColumnName: 'ts' },
  ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [stream] } },
  ...more,
});
const file = { streamType: 'file', 'stream.file.topic.name': 'base' };
const kafka = { streamType: 'kafka', 'stream.kafka.topic.name': 'base' };
const task = (taskType: string, taskConfigs: unknown, more: object = {}) => ({
  taskType,
  tableName: 'kept_OFFLINE',
  taskConfigs,
  ...more,
});

const load = (batchConfig: unknown): string =>
  `/ingestFromFile?tableNameWithType=kept_OFFLINE&batchConfigMapStr=${encodeURIComponent(JSON.stringify(batchConfig))}`;

/** Frequent mistakes in requests, and the parts that the message must name. */
const cases: readonly (readonly [path: string, body: unknown, names: RegExp])[] = [
  ['/schemas', {}, /schemaName/],
  ['/schemas', { schemaName: 7 }, /schemaName/],
  ['/schemas', { schemaName: '../up' }, /schemaName/],
  [
    '/schemas',
    { schemaName: 'x', dimensionFieldSpecs: [{ name: 'a', dataType: 'NUMBER' }] },
    /dataType/,
  ],
  ['/schemas', { schemaName: 'x', dimensionFieldSpecs: [{ dataType: 'INT' }] }, /name/],
  [
    '/schemas',
    {
      schemaName: 'x',
      dimensionFieldSpecs: [
        { name: 'a', dataType: 'INT' },
        { name: 'a', dataType: 'INT' },
      ],
    },
    /a\b/,
  ],
  [
    '/schemas',
    { schemaName: 'x', metricFieldSpecs: [{ name: 'a', dataType: 'STRING' }] },
    /metric/i,
  ],
  [
    '/schemas',
    { schemaName: 'x', dateTimeFieldSpecs: [{ name: 'a', dataType: 'LONG', format: 'SOON' }] },
    /format/,
  ],
  [
    '/schemas',
    { schemaName: 'kept', dimensionFieldSpecs: [{ name: 'other', dataType: 'INT' }] },
    /kept/,
  ],
  ['/schemas', [], /object/],
  ['/tables', {}, /tableName/],
  ['/tables', { tableName: 'base' }, /tableType/],
  ['/tables', { tableName: 'base', tableType: 'SOMETIMES' }, /tableType/],
  ['/tables', { tableName: 'base_REALTIME', tableType: 'OFFLINE' }, /tableType/],
  ['/tables', { tableName: 'nowhere', tableType: 'OFFLINE' }, /nowhere/],
  ['/tables', { tableName: 'a/b', tableType: 'OFFLINE' }, /a\/b/],
  ['/tables', offline({ tenants: { server: 'NoSuch' } }), /NoSuch/],
  ['/tables', offline({ segmentsConfig: { timeColumnName: 'missing' } }), /timeColumnName/],
  [
    '/tables',
    offline({ segmentsConfig: { retentionTimeUnit: 'EONS', retentionTimeValue: '1' } }),
    /retentionTimeUnit/,
  ],
  [
    '/tables',
    offline({ ingestionConfig: { filterConfig: { filterFunction: 'nosuch(' } } }),
    /filterFunction/,
  ],
  [
    '/tables',
    offline({
      ingestionConfig: {
        transformConfigs: [{ columnName: 'city', transformFunction: 'nosuch(1)' }],
      },
    }),
    /transformFunction|nosuch/,
  ],
  ['/tables', offline({ upsertConfig: { mode: 'FULL' } }), /upsert/i],
  ['/tables', offline({ dedupConfig: { dedupEnabled: true } }), /dedup/i],
  ['/tables', offline({ task: { taskTypeConfigsMap: { NoSuchTask: {} } } }), /NoSuchTask/],
  [
    '/tables',
    offline({ task: { taskTypeConfigsMap: { [generation]: { schedule: 'now and then' } } } }),
    /schedule/,
  ],
  ['/tables', realtime({}), /streamType/],
  ['/tables', realtime({ streamType: 'pigeon' }), /streamType/],
  ['/tables', realtime({ streamType: 'file' }), /topic/],
  ['/tables', realtime({ ...file, 'stream.file.topic.name': '../up' }), /topic/],
  [
    '/tables',
    realtime({ ...file, 'stream.file.consumer.prop.auto.offset.reset': 'soon' }),
    /offset\.reset/,
  ],
  ['/tables', realtime({ ...file, 'realtime.segment.flush.threshold.rows': '-1' }), /threshold/],
  [
    '/tables',
    realtime({ ...file, 'realtime.segment.flush.threshold.time': 'later' }),
    /is ‘later’, not a period longer than 0/,
  ],
  [
    '/tables',
    realtime({ ...file, 'stream.file.decoder.class.name': 'org.example.Avro' }),
    /decoder/,
  ],
  ['/tables', realtime(kafka), /broker/],
  ['/tables', realtime({ ...kafka, 'stream.kafka.broker.list': 'not a host' }), /broker/],
  ['/tables', realtime(file, { segmentsConfig: {} }), /timeColumnName/],
  [load('csv'), {}, /batchConfigMapStr is not an object/],
  [load({ inputFormat: 7 }), {}, /'inputFormat' is not a text/],
  [load({ inputFormat: 'xlsx' }), {}, /inputFormat = xlsx: expected one of csv/],
  [
    load({ inputFormat: 'csv', delimiter: ';' }),
    {},
    /batchConfigMapStr has an unknown member 'delimiter'; expected recordReader\.prop\.delimiter\./,
  ],
  [load({ format: 'json' }), {}, /unknown member 'format'; expected inputFormat, or a name/],
  [
    load({ inputFormat: 'csv', 'recordReader.prop.escapeCharacter': '/' }),
    {},
    /escapeCharacter = \/: .*no such option; expected delimiter, header/,
  ],
  // With a wrong name or delimiter, all values would be null.
  [
    load({ inputFormat: 'json' }),
    { town: 'Bern', TS: 1 },
    /None of the fields is a column of the table: a row has 'town', 'TS'; the table has 'city', 'ts'\./,
  ],
  ['/tasks/execute', {}, /taskType/],
  ['/tasks/execute', task('NoSuchTask', {}), /NoSuchTask/],
  ['/tasks/execute', task(generation, []), /taskConfigs/],
  ['/tasks/execute', task(generation, {}), /inputDirURI/],
  [
    '/tasks/execute',
    task(generation, { inputDirURI: '/etc', includeFileNamePattern: 'glob:*' }),
    /./,
  ],
  ['/tasks/execute', task('MergeRollupTask', {}), /bucketTimePeriod/],
  [
    '/tasks/execute',
    task('MergeRollupTask', { '1day.bucketTimePeriod': 'a while' }),
    /bucketTimePeriod/,
  ],
  ['/tasks/execute', task('RealtimeToOfflineSegmentsTask', {}), /REALTIME/],
  ['/tasks/execute', task(generation, {}, { tableName: 'nowhere_OFFLINE' }), /nowhere/],
  ['/tasks/execute', task(generation, {}, { taskName: '../up' }), /taskName|nothing|inputDirURI/],
];

let tables: LiveTables;

beforeAll(async () => {
  tables = await LiveTables.open();
  for (const schemaName of ['base', 'kept']) {
    const schema = {
      schemaName,
      dimensionFieldSpecs: [{ name: 'city', dataType: 'STRING' }],
      dateTimeFieldSpecs: [time],
    };
    await make('/schemas', schema);
  }
  await make('/tables', { tableName: 'kept', tableType: 'OFFLINE' });
});
afterAll(async () => tables[Symbol.asyncDispose]());

async function make(path: string, body: object): Promise<void> {
  const answer = await tables.call('POST', path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`);
}

const read = async (path: string): Promise<unknown> => (await tables.call('GET', path)).json();
const state = async (): Promise<unknown> => [
  await read('/schemas'),
  await read('/tables'),
  await read(`/tasks/${generation}/tasks`),
  await read('/tasks/MergeRollupTask/tasks'),
  await read('/tables/kept/size'),
];

test.each(cases)('%s %j is one clear refusal, and leaves nothing', async (path, body, names) => {
  const before = await state();
  const answer = await tables.call('POST', path, body as object);
  const text = await answer.text();
  expect([answer.status >= 400 && answer.status < 500, text]).toEqual([
    true,
    expect.stringMatching(names),
  ]);
  expect(await state()).toEqual(before);
});
