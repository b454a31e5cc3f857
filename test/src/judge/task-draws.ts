import fc from 'fast-check';
import type { Change } from './verdict-cases.ts';
import { soundTables } from './verdict-tables.ts';
import { period, words } from './verdict-words.ts';

const digits = fc.oneof(
  fc.nat(70).map(String),
  fc.constantFrom('0', '1', '7', '8', '12', '23', '24', '31', '32', '59', '60', '1970', '2030'),
);
const name = fc.constantFrom('MON', 'FRI', 'SUN', 'JAN', 'DEC', 'mon', 'Monday', 'XYZ');
const cronPart = fc.oneof(
  { arbitrary: digits, weight: 5 },
  { arbitrary: fc.constantFrom('*', '?'), weight: 5 },
  name,
  fc.constantFrom('L', 'LW', 'W', 'x', '-', '/', '', '1-', '2#', 'MON-', '*-5', '1x'),
  fc.tuple(digits, fc.constantFrom('-', '/', '#'), digits).map((parts) => parts.join('')),
  fc.tuple(digits, digits, digits).map(([from, to, step]) => `${from}-${to}/${step}`),
  fc.tuple(fc.constantFrom('*/', '/', 'L-'), digits).map((parts) => parts.join('')),
  fc.tuple(digits, fc.constantFrom('L', 'W')).map((parts) => parts.join('')),
  fc.tuple(name, name).map((parts) => parts.join('-')),
  fc.tuple(name, digits).map((parts) => parts.join('#')),
);
const cronField = fc.oneof(
  { arbitrary: cronPart, weight: 8 },
  { arbitrary: fc.tuple(cronPart, cronPart).map((parts) => parts.join(',')), weight: 1 },
);

/** Cron expressions: sound ones with one field that is drawn, and some of any fields. */
const schedule = fc.oneof(
  {
    arbitrary: fc.tuple(fc.nat(6), cronField).map(([place, drawn]) => {
      const fields = ['0', '0', '0', '?', '*', '*'];
      if (place === 3) fields[5] = drawn === '?' ? '*' : '?';
      fields[place] = drawn;
      return fields.join(' ');
    }),
    weight: 4,
  },
  {
    arbitrary: fc
      .array(cronField, { minLength: 5, maxLength: 8 })
      .map((fields) => fields.join(' ')),
    weight: 1,
  },
  { arbitrary: words('0 */10 * * * ?', 'often', '', '@daily', '0 0 * * *', 5), weight: 1 },
);

const count = words('5', '0', '-1', 'x', '', '1.5', '+5', '99999999999999999999', 7);
const column = words('price', 'id', 'name', 'none');
const aggregation = words(
  'SUM',
  'sum',
  'MAX',
  'AVG',
  'COUNT',
  'DISTINCT_COUNT_HLL',
  'DISTINCTCOUNTTHETASKETCH',
  'PERCENTILEKLL',
  'SUMPRECISION',
  'x',
  '',
);

/** An option of a task and a value, mostly one that it has. */
const option = fc.oneof(
  fc.tuple(words('schedule'), schedule),
  fc.tuple(
    words('bucketTimePeriod', 'bufferTimePeriod', 'roundBucketTimePeriod', '1day.bufferTimePeriod'),
    period,
  ),
  fc.tuple(words('mergeType', '1day.mergeType'), words('concat', 'ROLLUP', 'Dedup', 'x', '')),
  fc.tuple(
    column.map((each) => `${String(each)}.aggregationType`),
    aggregation,
  ),
  fc.tuple(
    words(
      'maxNumRecordsPerSegment',
      'maxNumRecordsPerTask',
      'tableMaxNumTasks',
      'invalidRecordsThresholdCount',
      'invalidRecordsThresholdPercent',
      'minNumSegmentsPerTask',
    ),
    count,
  ),
  fc.tuple(words('outputSegmentMaxSize'), words('200M', '1.5G', '0', 'x', '', '-1', '5KB')),
  fc.tuple(words('allowDownloadFromServer'), words('true', 'TRUE', 'false', 'x', true)),
  fc.tuple(
    words('eraseDimensionValues', '1day.eraseDimensionValues'),
    words('id', 'id, name', 'none', 'id,', ''),
  ),
  fc.tuple(words('mergeLevel'), words('1day', '')),
  fc.tuple(
    fc
      .tuple(words('', '1day.'), column, words('lgK', 'nominalEntries', 'samplingProbability', 'x'))
      .map(([level, of, parameter]) => {
        return `${String(level)}aggregationFunctionParameters.${String(of)}.${String(parameter)}`;
      }),
    words('12', '0', '0.5', '1.5', 'x', ''),
  ),
  fc.tuple(
    words('validDocIdsType'),
    words('SNAPSHOT', 'snapshot', 'IN_MEMORY', 'IN_MEMORY_WITH_DELETE', 'x', ''),
  ),
  fc.tuple(words('other'), words('x', 5, true, {}, null)),
);

const type = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      'MergeRollupTask',
      'RealtimeToOfflineSegmentsTask',
      'UpsertCompactionTask',
      'UpsertCompactMergeTask',
    ),
    weight: 8,
  },
  {
    arbitrary: fc.constantFrom('PurgeTask', 'RefreshSegmentTask', 'SegmentGenerationAndPushTask'),
    weight: 3,
  },
  { arbitrary: fc.constantFrom('XTask', 'mergerolluptask', 'ConvertToRawIndexTask'), weight: 1 },
);

const options = fc
  .tuple(
    // The member that an UpsertCompactionTask requires is mostly present.
    fc.option(fc.constant({ invalidRecordsThresholdPercent: '10' }), { nil: {}, freq: 3 }),
    fc.array(option, { maxLength: 2 }),
  )
  .map(([usual, drawn]) => ({
    ...usual,
    ...Object.fromEntries(drawn.map(([key, value]) => [String(key), value])),
  }));

/** Tables of every kind with background tasks, and the other members that those read. */
export const drawnTasks: fc.Arbitrary<{
  readonly table: string;
  readonly changes: readonly Change[];
}> = fc.record({
  table: fc.constantFrom(...Object.keys(soundTables), 'upsert', 'realtime'),
  changes: fc.tuple(
    fc
      .dictionary(type, options, { minKeys: 1, maxKeys: 2 })
      .map((tasks): Change => ['task', { taskTypeConfigsMap: tasks }]),
    fc.constantFrom<Change>(
      ['metadata', {}],
      ['segmentsConfig.peerSegmentDownloadScheme', 'http'],
      ['upsertConfig.snapshot', 'DISABLE'],
      ['upsertConfig.deleteRecordColumn', 'isGone'],
    ),
  ),
});
