import { index, kept, segments, type TableCase } from './table-scenes.ts';

const whole = {
  tagPoolConfig: { tag: 'big_OFFLINE' },
  replicaGroupPartitionConfig: { replicaGroupBased: true, numReplicaGroups: 2 },
};
const assigned = (OFFLINE: unknown) => kept({ instanceAssignmentConfigMap: { OFFLINE } });
const offline = '/instanceAssignmentConfigMap/OFFLINE';
const partitions = '/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/customer';

/** Cases of rules about the selection of segments and servers. */
export const assignmentCases: Readonly<Record<string, TableCase>> = {
  INSTANCE_ASSIGNMENT_KIND: {
    keeps: kept({
      tierConfigs: [{ name: 'cold' }],
      instanceAssignmentConfigMap: { OFFLINE: whole, cold: whole },
    }),
    breaks: kept({ instanceAssignmentConfigMap: { CONSUMING: whole, OFFLINE: whole } }),
    at: ['/instanceAssignmentConfigMap/CONSUMING'],
  },
  INSTANCE_ASSIGNMENT_MEMBERS: {
    keeps: assigned(whole),
    breaks: assigned({ tagPoolConfig: 'big_OFFLINE' }),
    at: [`${offline}/replicaGroupPartitionConfig`, `${offline}/tagPoolConfig`],
  },
  INSTANCE_TAG: {
    keeps: assigned(whole),
    breaks: assigned({ tagPoolConfig: { tag: 'big' } }),
    at: [`${offline}/tagPoolConfig/tag`],
  },
  PARTITION_SELECTOR: {
    keeps: assigned({ ...whole, partitionSelector: 'MIRROR_SERVER_SET_PARTITION_SELECTOR' }),
    breaks: assigned({ ...whole, partitionSelector: 'RANDOM' }),
    at: [`${offline}/partitionSelector`],
  },
  ASSIGNMENT_COUNT: {
    keeps: assigned(whole),
    breaks: assigned({ ...whole, replicaGroupPartitionConfig: { numInstances: 'many' } }),
    at: [`${offline}/replicaGroupPartitionConfig/numInstances`],
  },
  ASSIGNMENT_TYPE: {
    keeps: kept({
      instanceAssignmentConfigMap: {
        OFFLINE: { ...whole, minimizeDataMovement: 'true', constraintConfig: null, other: 1 },
      },
      segmentAssignmentConfigMap: { OFFLINE: {}, cold: null },
    }),
    breaks: kept({
      instanceAssignmentConfigMap: {
        OFFLINE: {
          tagPoolConfig: { tag: ['a_OFFLINE'], poolBased: 'yes', numPools: 'x', pools: 1 },
          replicaGroupPartitionConfig: { replicaGroupBased: 'yes', partitionColumn: {} },
          constraintConfig: 'x',
          minimizeDataMovement: 0.5,
        },
      },
      segmentAssignmentConfigMap: { OFFLINE: 'balanced' },
    }),
    at: [
      `${offline}/constraintConfig`,
      `${offline}/minimizeDataMovement`,
      `${offline}/replicaGroupPartitionConfig/partitionColumn`,
      `${offline}/replicaGroupPartitionConfig/replicaGroupBased`,
      `${offline}/tagPoolConfig/numPools`,
      `${offline}/tagPoolConfig/poolBased`,
      `${offline}/tagPoolConfig/pools`,
      `${offline}/tagPoolConfig/tag`,
      '/segmentAssignmentConfigMap/OFFLINE',
    ],
  },
  IMPLICIT_PARTITIONS: {
    keeps: kept({
      tableType: 'REALTIME',
      instanceAssignmentConfigMap: {
        CONSUMING: { ...whole, partitionSelector: 'IMPLICIT_REALTIME_TABLE_PARTITION_SELECTOR' },
      },
    }),
    breaks: assigned({ ...whole, partitionSelector: 'IMPLICIT_REALTIME_TABLE_PARTITION_SELECTOR' }),
    at: [`${offline}/partitionSelector`],
  },
  INSTANCE_PARTITIONS_KIND: {
    keeps: kept({ instancePartitionsMap: { OFFLINE: 'a' } }),
    breaks: kept({ instancePartitionsMap: { cold: 'a' } }),
    at: ['/instancePartitionsMap/cold'],
  },
  INSTANCE_PARTITIONS_TWICE: {
    keeps: kept({ instancePartitionsMap: { OFFLINE: 'a' } }),
    breaks: kept({
      instancePartitionsMap: { OFFLINE: 'a' },
      instanceAssignmentConfigMap: { OFFLINE: whole },
    }),
    at: [offline],
  },
  REPLICA_GROUPS: {
    keeps: assigned(whole),
    breaks: assigned({
      replicaGroupPartitionConfig: { replicaGroupBased: true, numInstances: -1 },
    }),
    at: ['numInstances', 'numReplicaGroups'].map(
      (member) => `${offline}/replicaGroupPartitionConfig/${member}`,
    ),
  },
  TUNER_NAME: {
    keeps: kept({ tunerConfigs: [{ name: 'realtimeAutoIndexTuner' }] }),
    breaks: kept({ tunerConfigs: [{ name: ' ' }] }),
    at: ['/tunerConfigs/0/name'],
  },
  COLUMN_PARTITION: {
    keeps: index({
      segmentPartitionConfig: {
        columnPartitionMap: { customer: { functionName: 'murmur', numPartitions: 4 } },
      },
    }),
    breaks: index({
      segmentPartitionConfig: { columnPartitionMap: { customer: { functionName: 'Random' } } },
    }),
    at: [`${partitions}/numPartitions`],
  },
  PARTITION_FUNCTION: {
    keeps: index({
      segmentPartitionConfig: {
        columnPartitionMap: { customer: { functionName: 'murmur', numPartitions: 4 } },
      },
    }),
    breaks: index({
      segmentPartitionConfig: {
        columnPartitionMap: { customer: { functionName: 'Random', numPartitions: 4 } },
      },
    }),
    at: [`${partitions}/functionName`],
  },
  REPLICA_GROUP_STRATEGY: {
    keeps: segments({
      replicaGroupStrategyConfig: { numInstancesPerPartition: 1, partitionColumn: 'customer' },
    }),
    breaks: kept({
      segmentsConfig: { replicaGroupStrategyConfig: { partitionColumn: 'nobody' } },
      instanceAssignmentConfigMap: { OFFLINE: {} },
    }),
    at: [
      '/segmentsConfig/replicaGroupStrategyConfig',
      '/segmentsConfig/replicaGroupStrategyConfig/numInstancesPerPartition',
    ],
  },
  COMPLETION_MODE: {
    keeps: segments({ completionConfig: { completionMode: 'download' } }),
    breaks: segments({ completionConfig: { completionMode: 'copy' } }),
    at: ['/segmentsConfig/completionConfig/completionMode'],
  },
  ROUTING_PRUNER: {
    keeps: kept({ routing: { segmentPrunerTypes: ['partition', 'time'] } }),
    breaks: kept({ routing: { segmentPrunerTypes: ['partition', 'size'] } }),
    at: ['/routing/segmentPrunerTypes/1'],
  },
  ROUTING_SELECTOR: {
    keeps: kept({ routing: { instanceSelectorType: 'replicaGroup' } }),
    breaks: kept({ routing: { instanceSelectorType: 'fastest' } }),
    at: ['/routing/instanceSelectorType'],
  },
};
