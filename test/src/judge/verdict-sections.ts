import fc from 'fast-check';
import { column, tag, words } from './verdict-words.ts';

/** Options of a stream. */
export const stream = fc
  .record(
    {
      streamType: words('kafka', 'kafka', 'kafka', 'kafka', 'pulsar', ''),
      'stream.kafka.topic.name': words('orders', 'orders', 'others', ''),
      'stream.kafka.broker.list': words('localhost:9092'),
      'stream.kafka.consumer.type': words('lowlevel', 'lowLevel', 'simple', 'highlevel', 'x'),
      'stream.kafka.decoder.class.name': words('x.JSONMessageDecoder', 'x.JSONMessageDecoder', ''),
      'stream.kafka.consumer.factory.class.name': words('x.Factory', ''),
      'stream.kafka.consumer.prop.auto.offset.reset': words(
        'smallest',
        'largest',
        'now',
        '2024-01-01T00:00:00Z',
        'PT1H',
      ),
      'realtime.segment.flush.threshold.rows': words('0', '1000', '50000', 'x', '-1', 1000, '1.5'),
      'realtime.segment.flush.threshold.time': words(
        '6h',
        '1d',
        '3600000',
        'x',
        '0',
        '-1h',
        3600000,
      ),
      'realtime.segment.flush.threshold.segment.rows': words('0', '1000', '-1', 'x'),
      'realtime.segment.flush.threshold.segment.size': words('200M', '1G', '0', 'x', '100', '-1'),
      'stream.kafka.fetch.timeout.millis': words('5000', 'x', '-1'),
      'realtime.segment.flush.autotune.initialRows': words('100000', 'x', '0'),
    },
    { requiredKeys: ['streamType'] },
  )
  .chain((drawn) =>
    // Mostly a whole stream with a few members of its own, sometimes only the drawn ones.
    fc.subarray(Object.keys(drawn).slice(1), { maxLength: 3 }).map((kept) => ({
      streamType: drawn.streamType,
      'stream.kafka.topic.name': 'orders',
      'stream.kafka.broker.list': 'localhost:9092',
      'stream.kafka.consumer.type': 'lowlevel',
      'stream.kafka.decoder.class.name':
        'org.apache.pinot.plugin.inputformat.json.JSONMessageDecoder',
      ...Object.fromEntries(Object.entries(drawn).filter(([name]) => kept.includes(name))),
    })),
  )
  .chain((whole) =>
    fc.option(fc.constantFrom(...Object.keys(whole)), { nil: undefined, freq: 4 }).map((gone) => {
      return Object.fromEntries(Object.entries(whole).filter(([name]) => name !== gone));
    }),
  ) as fc.Arbitrary<unknown>;

/** The partitioning of a column. */
export const partition = fc.record(
  {
    functionName: words(
      'Murmur',
      'Modulo',
      'HashCode',
      'ByteArray',
      'Murmur3',
      'murmur',
      'BoundedColumnValue',
      'X',
      '',
    ),
    numPartitions: words(4, 8, '4', 0, -1, 'x'),
    functionConfig: words({}, { columnValues: 'a|b', columnValuesDelimiter: '|' }),
  },
  { requiredKeys: ['functionName', 'numPartitions'] },
) as fc.Arbitrary<unknown>;

/** The assignment of servers. */
export const assignment = fc.record(
  {
    tagPoolConfig: fc.record(
      { tag, poolBased: words(true, false), numPools: words(0, 1, 'x'), pools: words([], [1]) },
      { requiredKeys: ['tag'] },
    ),
    replicaGroupPartitionConfig: fc.record(
      {
        replicaGroupBased: words(true, false),
        numInstances: words(0, 3, -1, 'x'),
        numReplicaGroups: words(0, 2, -1, '2'),
        numInstancesPerReplicaGroup: words(0, 1),
        numPartitions: words(0, 2),
        numInstancesPerPartition: words(0, 1, 2),
        minimizeDataMovement: words(true),
        partitionColumn: column,
      },
      { requiredKeys: ['replicaGroupBased'] },
    ),
    partitionSelector: words(
      'FD_AWARE_INSTANCE_PARTITION_SELECTOR',
      'INSTANCE_REPLICA_GROUP_PARTITION_SELECTOR',
      'MIRROR_SERVER_SET_PARTITION_SELECTOR',
      'IMPLICIT_REALTIME_TABLE_PARTITION_SELECTOR',
      'x',
    ),
    minimizeDataMovement: words(true, false),
  },
  { requiredKeys: ['tagPoolConfig', 'replicaGroupPartitionConfig'] },
) as fc.Arbitrary<unknown>;

/** Kinds of segments. */
export const kinds = fc.constantFrom('OFFLINE', 'CONSUMING', 'COMPLETED', 'cold', 'X');
