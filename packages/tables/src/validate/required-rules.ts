import { pointerTo } from '../json-pointer.ts';
import type { TableRule } from './rule.ts';

const pruners = ['partition', 'time', 'empty'];
const selectors = ['balanced', 'replicaGroup', 'strictReplicaGroup', 'multiStageReplicaGroup'];
const partitionFunctions = ['Modulo', 'Murmur', 'Murmur2', 'Murmur3', 'HashCode', 'ByteArray', 'BoundedColumnValue', 'Fnv'];
const completionModes = ['DOWNLOAD', 'DEFAULT'];

/** Rules about members without which a section means nothing, and about the words that they take. */
export const requiredRules: readonly TableRule[] = [
  {
    code: 'TUNER_NAME',
    subject: 'tuning',
    severity: 'error',
    description: 'Every element of tunerConfigs names its tuner.',
    *check({ config }) {
      for (const [index, { name = '' }] of (config.tunerConfigs ?? []).entries()) {
        if (name.trim() === '') yield { path: `/tunerConfigs/${index}/name`, message: 'The element names no tuner.' };
      }
    },
  },
  {
    code: 'COLUMN_PARTITION',
    subject: 'segments',
    severity: 'error',
    description: `A partitioned column has a functionName (${partitionFunctions.join(', ')}) and a numPartitions of at least 1.`,
    *check({ config }) {
      const columns = config.tableIndexConfig?.segmentPartitionConfig?.columnPartitionMap ?? {};
      for (const [name, { functionName = '', numPartitions = 0 }] of Object.entries(columns)) {
        const path = pointerTo('/tableIndexConfig/segmentPartitionConfig/columnPartitionMap', name);
        if (!partitionFunctions.some((known) => known.toLowerCase() === functionName.toLowerCase())) {
          yield { path: `${path}/functionName`, message: `‘${functionName}’ is not one of ${partitionFunctions.join(', ')}.` };
        }
        if (numPartitions < 1) yield { path: `${path}/numPartitions`, message: `${name} has no partitions.` };
      }
    },
  },
  {
    code: 'REPLICA_GROUP_STRATEGY',
    subject: 'segments',
    severity: 'error',
    description:
      'A replicaGroupStrategyConfig has a numInstancesPerPartition of at least 1, and a partitionColumn of the schema if any.',
    *check({ config, schema }) {
      const strategy = config.segmentsConfig?.replicaGroupStrategyConfig;
      if (strategy === undefined) return;
      const path = '/segmentsConfig/replicaGroupStrategyConfig';
      if ((strategy.numInstancesPerPartition ?? 0) < 1) {
        yield { path: `${path}/numInstancesPerPartition`, message: 'No server would hold a partition.' };
      }
      const column = strategy.partitionColumn ?? '';
      if (column !== '' && schema !== undefined && !schema.columns.some(({ name }) => name === column)) {
        yield { path: `${path}/partitionColumn`, message: `The schema has no column ${column}.` };
      }
    },
  },
  {
    code: 'COMPLETION_MODE',
    subject: 'segments',
    severity: 'error',
    description: `A completionConfig has a completionMode: ${completionModes.join(', ')}.`,
    *check({ config }) {
      const completion = config.segmentsConfig?.completionConfig;
      const mode = completion?.completionMode ?? '';
      if (completion === undefined || completionModes.includes(mode.toUpperCase())) return;
      const path = '/segmentsConfig/completionConfig/completionMode';
      yield { path, message: `‘${mode}’ is not one of ${completionModes.join(', ')}.` };
    },
  },
  {
    code: 'DEDUP_ENABLED',
    subject: 'dedup',
    severity: 'error',
    description: 'A dedupConfig says whether it is enabled.',
    *check({ config: { dedupConfig } }) {
      if (dedupConfig !== undefined && Object.keys(dedupConfig).length > 0 && dedupConfig.dedupEnabled === undefined) {
        yield { path: '/dedupConfig/dedupEnabled', message: 'Nothing says whether rows are dropped.' };
      }
    },
  },
  {
    code: 'ROUTING_PRUNER',
    subject: 'routing',
    severity: 'error',
    description: `segmentPrunerTypes are ${pruners.join(', ')}.`,
    *check({ config }) {
      for (const [index, name] of (config.routing?.segmentPrunerTypes ?? []).entries()) {
        if (pruners.some((known) => known === name.toLowerCase())) continue;
        yield { path: `/routing/segmentPrunerTypes/${index}`, message: `‘${name}’ is not one of ${pruners.join(', ')}.` };
      }
    },
  },
  {
    code: 'ROUTING_SELECTOR',
    subject: 'routing',
    severity: 'error',
    description: `instanceSelectorType is ${selectors.join(', ')}.`,
    *check({ config }) {
      const name = config.routing?.instanceSelectorType ?? '';
      if (name === '' || selectors.some((known) => known.toLowerCase() === name.toLowerCase())) return;
      yield { path: '/routing/instanceSelectorType', message: `‘${name}’ is not one of ${selectors.join(', ')}.` };
    },
  },
];
