import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { controllerJudge, describeWithTool } from '../testkit/toolchain.ts';
import { PinotJudge } from './pinot-judge.ts';
import { drawnTasks } from './task-draws.ts';
import { configErrors, schemaErrors } from './verdict-agreement.ts';
import { changed, type Change, circularTransforms } from './verdict-cases.ts';
import { soundTables, wideSchema } from './verdict-tables.ts';

/** The number of tables with tasks; the variable multiplies it. */
const runs = Number(process.env['QUIRE_JUDGE_RUNS'] ?? 20) * 20;
const seed = Number(process.env['QUIRE_JUDGE_SEED'] ?? 7);
const agreement = join(import.meta.dirname, '../../../packages/tables/AGREEMENT-TASKS.md');
const isUsual = runs === 400 && seed === 7;

/** The reason why only one side accepts a table, by intention. */
const reasons: readonly { readonly fits: RegExp; readonly reason: string }[] = [
  {
    fits: /:null\b/,
    reason: 'A member that is null counts as left out here, in tasks as elsewhere.',
  },
];

type Case = readonly [table: string, ...changes: readonly Change[]];

const transform = (columnName: string, transformFunction: string): Change => [
  'ingestionConfig.transformConfigs',
  [{ columnName, transformFunction }],
];
const streamWith = (change: object): Change => [
  'ingestionConfig.streamIngestionConfig.streamConfigMaps',
  [
    {
      streamType: 'kafka',
      'stream.kafka.topic.name': 'orders',
      'stream.kafka.decoder.class.name': 'x.JSONMessageDecoder',
      ...change,
    },
  ],
];
const protobuf = 'org.apache.pinot.plugin.inputformat.protobuf.ProtoBufMessageDecoder';
const aggregated = (price: string): readonly Change[] => [
  [
    'ingestionConfig.aggregationConfigs',
    [
      { columnName: 'price', aggregationFunction: price },
      { columnName: 'cost', aggregationFunction: 'COUNT(*)' },
      { columnName: 'sketch', aggregationFunction: 'DISTINCTCOUNTHLL(x, 12)' },
    ],
  ],
  ['tableIndexConfig.noDictionaryColumns', ['price', 'cost', 'sketch']],
];
const task = (type: string, options: object): Change => [
  'task.taskTypeConfigsMap',
  { [type]: options },
];
const text = 'tableIndexConfig.multiColumnTextIndexConfig';
const raw = (name: string, more: object): Change => [
  'fieldConfigList',
  [{ name, encodingType: 'RAW', ...more }],
];

/** Cases that Quire once accepted and the judge refuses. */
const refused: readonly Case[] = [
  ...['timestamp', 'date', 'order', 'group', 'a.limit', 'range', 'row', 'interval'].map(
    (column): Case => ['offline', transform('name', `upper(${column})`)],
  ),
  ['offline', transform('cost', 'minus(id, 1)')],
  ['offline', transform('x', 'upper(name)')],
  [
    'offline',
    [
      'ingestionConfig.transformConfigs',
      [
        { columnName: 'x', transformFunction: 'upper(name)' },
        { columnName: 'day', transformFunction: 'lower(x)' },
      ],
    ],
  ],
  ['realtime', streamWith({ 'stream.kafka.decoder.class.name': undefined })],
  ['realtime', streamWith({ 'stream.kafka.decoder.class.name': protobuf })],
  [
    'realtime',
    streamWith({
      'stream.kafka.decoder.class.name': protobuf,
      'stream.kafka.decoder.prop.descriptorFile': 'x',
    }),
  ],
  ['offline', raw('id', { compressionCodec: 'DELTA' })],
  ['offline', raw('cost', { compressionCodec: 'DELTADELTA' })],
  ['offline', raw('name', { indexes: { forward: { compressionCodec: 'ZIP' } } })],
  ['offline', raw('name', { indexes: { forward: { compressionCodec: 'MV_ENTRY_DICT' } } })],
  ['offline', [text, {}]],
  ['offline', [text, { columns: ['name', 'name'] }]],
  ['offline', [text, { columns: ['name'], properties: { x: 'y' } }]],
  ['offline', ['segmentsConfig.untrackedSegmentsRetentionTimeUnit', 'DAYS']],
  ['offline', ['segmentsConfig.untrackedSegmentsRetentionTimeValue', '5']],
  ['realtime', ...aggregated('DISTINCTCOUNTHLL(x)')],
  ['realtime', ...aggregated('SUMPRECISION(x, 10)')],
  ['realtime', ...aggregated('SUM(order)')],
  [
    'offline',
    [
      'ingestionConfig.enrichmentConfigs',
      [{ enricherType: 'clpEnricher', properties: { fields: 'name' } }],
    ],
  ],
  ['offline', ['tableName', 'a__b_OFFLINE']],
  ['offline', task('XTask', {})],
  ['offline', task('MergeRollupTask', { schedule: 'often' })],
  ['realtime', task('RealtimeToOfflineSegmentsTask', { 'price.aggregationType': 'AVG' })],
  ['realtime', task('RealtimeToOfflineSegmentsTask', { bucketTimePeriod: 'day' })],
  ['upsert', task('UpsertCompactionTask', {})],
];

/** Cases that Quire once refused and the judge accepts. */
const taken: readonly Case[] = [
  ...['value', 'user', 'year', 'end', 'as', 'and', 'between', 'like'].map((column): Case => [
    'offline',
    transform('name', `upper(${column})`),
  ]),
  ['offline', task('SegmentGenerationAndPushTask', {})],
  ['offline', task('MergeRollupTask', { '1day.bucketTimePeriod': 'day' })],
  ['offline', task('RealtimeToOfflineSegmentsTask', {})],
  ['realtime', streamWith({ 'stream.kafka.topic.name': '' })],
  ['offline', ['metadata.customConfigs', { a: '${VAR}', b: '${VAR:default}' }]],
  ['offline', ['segmentsConfig.retentionTimeValue', '${VAR}']],
  [
    'offline',
    ['ingestionConfig.enrichmentConfigs', [{ enricherType: 'clpEnricher', properties: {} }]],
  ],
  ['realtime', ...aggregated('SUM( "x" )')],
];

const apart = ([table, ...changes]: Case) => [table, changes] as const;

describeWithTool(controllerJudge, "verdicts, by a controller's own check", (folder) => {
  let judge: PinotJudge;

  beforeAll(() => {
    judge = new PinotJudge(folder, 'ControllerJudge');
  });

  afterAll(async () => {
    await judge[Symbol.asyncDispose]();
  });

  test('sound tables are taken', async () => {
    for (const table of Object.values(soundTables)) {
      expect(await judge.validateTableConfigs(table, wideSchema)).toEqual({ valid: true });
    }
  });

  test.each(refused.map(apart))(
    'what a controller refuses is refused: %s %j',
    async (table, changes) => {
      const config = changes.reduce<object>(changed, soundTables[table] ?? {});
      const verdict = await judge.validateTableConfigs(config, wideSchema);
      expect({ judged: verdict.error === undefined ? 'taken' : 'refused' }).toEqual({
        judged: 'refused',
      });
      expect(configErrors(config, wideSchema)).not.toEqual([]);
    },
  );

  test.each(taken.map(apart))('what a controller takes is taken: %s %j', async (table, changes) => {
    const config = changes.reduce<object>(changed, soundTables[table] ?? {});
    expect(await judge.validateTableConfigs(config, wideSchema)).toEqual({ valid: true });
    expect(configErrors(config, wideSchema)).toEqual([]);
  });

  // pipeline.judge.test.ts shows that no server can build a pipeline from them.
  test.each(circularTransforms)(
    'transforms in a circle are taken by a controller, and refused here: %#',
    async (...columns) => {
      const config = changed(soundTables['offline'] ?? {}, [
        'ingestionConfig.transformConfigs',
        columns.map(([columnName, transformFunction]) => ({ columnName, transformFunction })),
      ]);
      expect(await judge.validateTableConfigs(config, wideSchema)).toEqual({ valid: true });
      expect(configErrors(config, wideSchema)).toEqual(['TRANSFORM_CYCLE']);
    },
  );

  test('the name of a column may begin with $, and a table has the name of its schema', async () => {
    const schema = { ...wideSchema, metricFieldSpecs: [{ name: '$a', dataType: 'INT' }] };
    expect(await judge.validateTableConfigs(soundTables['offline'] ?? {}, schema)).toEqual({
      valid: true,
    });
    expect(schemaErrors(schema)).toEqual([]);
    const other = { ...wideSchema, schemaName: 'others' };
    const verdict = await judge.validateTableConfigs(soundTables['offline'] ?? {}, other);
    expect(verdict.error).toMatch('must be equal to');
    expect(configErrors(soundTables['offline'] ?? {}, other)).toEqual(['SCHEMA_NAME_MISMATCH']);
  });

  test(
    'drawn tables with tasks are refused where they are refused there',
    { timeout: 600_000 },
    async () => {
      const differing: string[] = [];
      const counts = new Map<string, number>();
      let refusedCount = 0;
      for (const { table, changes } of fc.sample(drawnTasks, { seed, numRuns: runs })) {
        const config = changes.reduce<object>(changed, soundTables[table] ?? {});
        const { error } = await judge.validateTableConfigs(config, wideSchema);
        const codes = configErrors(config, wideSchema);
        if (error !== undefined) refusedCount += 1;
        if ((error !== undefined) === codes.length > 0) continue;
        const shown = `${table} ${JSON.stringify(changes)}: ${error ?? 'taken'}; we say ${codes.join(', ') || 'nothing'}`;
        const known = reasons.find(({ fits }) => fits.test(shown));
        if (known === undefined) differing.push(shown);
        else counts.set(known.reason, (counts.get(known.reason) ?? 0) + 1);
      }
      const explained = [...counts.values()].reduce((sum, count) => sum + count, 0);
      expect(differing.slice(0, 10).join('\n')).toBe('');
      const page = [
        '# Background tasks, and the verdicts of a controller',
        '',
        'A controller of Apache Pinot 1.5.1 looks at the tasks of a table before it makes it: the check of POST /tableConfigs/validate, with the task',
        'generators that Apache Pinot ships, judges drawn tasks of tables of every kind (`test/src/judge/controller-verdicts.judge.test.ts`, with',
        '`--update`); more and others come with `QUIRE_JUDGE_RUNS=200 QUIRE_JUDGE_SEED=8`.',
        '',
        'A controller also takes transforms that go round in a circle. No server makes a pipeline of them, so that no row is ever ingested: here they are an',
        'error, `TRANSFORM_CYCLE`.',
        '',
        `${runs - explained} of ${runs} have the same verdict; ${refusedCount} of them are refused there.`,
        ...[...counts].map(([reason, count]) => `\n- ${count}: ${reason}`),
        '',
      ].join('\n');
      if (!isUsual) console.log(page);
      await expect(isUsual ? page : readFileSync(agreement, 'utf8')).toMatchFileSnapshot(agreement);
    },
  );
});
