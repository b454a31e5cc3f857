import { pointerTo } from '../finding.ts';
import { isRecord } from '../model/document.ts';
import type { CheckedTable, TableRule } from './rule.ts';
import { isInteger, serverTag, valueRule } from './value-rule.ts';

const kindsOfType = { OFFLINE: ['OFFLINE'], REALTIME: ['CONSUMING', 'COMPLETED'] } as const;
const requiredMembers = ['tagPoolConfig', 'replicaGroupPartitionConfig'] as const;
const partitionSelectors = [
  'FD_AWARE_INSTANCE_PARTITION_SELECTOR',
  'INSTANCE_REPLICA_GROUP_PARTITION_SELECTOR',
  'MIRROR_SERVER_SET_PARTITION_SELECTOR',
  'IMPLICIT_REALTIME_TABLE_PARTITION_SELECTOR',
];
const counts = ['numInstances', 'numReplicaGroups', 'numInstancesPerReplicaGroup', 'numPartitions', 'numInstancesPerPartition'];

/** Rules about how servers are chosen for the segments of a table. */
export const assignmentRules: readonly TableRule[] = [
  {
    code: 'INSTANCE_ASSIGNMENT_KIND',
    subject: 'assignment',
    severity: 'warning',
    description:
      'Servers are chosen for OFFLINE segments, or for CONSUMING and COMPLETED ones of a real-time table, or for a tier.',
    *check({ config }) {
      const kinds = kindsOfType[config.tableType ?? 'OFFLINE'];
      const known = [...kinds, ...(config.tierConfigs ?? []).map(({ name }) => name ?? '')];
      for (const { kind, path } of assignmentsOf(config)) {
        if (!known.includes(kind)) yield { path, message: `The table has no ${kind} segments, only ${known.join(', ')}.` };
      }
    },
  },
  {
    code: 'INSTANCE_ASSIGNMENT_MEMBERS',
    subject: 'assignment',
    severity: 'error',
    description: `An instance assignment is an object with ${requiredMembers.join(' and ')}, and its pool has a tag.`,
    *check({ config }) {
      for (const { path, assignment } of assignmentsOf(config)) {
        for (const member of requiredMembers) {
          if (!isRecord(assignment[member])) yield { path: `${path}/${member}`, message: `The assignment has no ${member}.` };
        }
        const { tagPoolConfig } = assignment;
        if (isRecord(tagPoolConfig) && (tagPoolConfig['tag'] ?? undefined) === undefined) {
          yield { path: `${path}/tagPoolConfig/tag`, message: 'The pool has no tag.' };
        }
      }
    },
  },
  valueRule({
    code: 'INSTANCE_TAG',
    subject: 'assignment',
    severity: 'warning',
    description: 'A pool of servers has a tag that ends in _OFFLINE or _REALTIME.',
    values: [{ at: ['/instanceAssignmentConfigMap/*/tagPoolConfig/tag'], isEmptyValue: true, ...serverTag }],
  }),
  {
    code: 'PARTITION_SELECTOR',
    subject: 'assignment',
    severity: 'error',
    description: `partitionSelector is ${partitionSelectors.join(', ')}.`,
    *check({ config }) {
      for (const { path, assignment } of assignmentsOf(config)) {
        const selector = assignment['partitionSelector'] ?? partitionSelectors[1];
        if (typeof selector !== 'string' || !partitionSelectors.includes(selector)) {
          yield { path: `${path}/partitionSelector`, message: `It is not one of ${partitionSelectors.join(', ')}.` };
        }
      }
    },
  },
  {
    code: 'REPLICA_GROUPS',
    subject: 'assignment',
    severity: 'warning',
    description:
      'Counts of servers and partitions are at least 0; choosing by groups of replicas needs numReplicaGroups of at least 1.',
    *check({ config }) {
      for (const { path, assignment } of assignmentsOf(config)) {
        const { replicaGroupPartitionConfig: groups } = assignment;
        if (!isRecord(groups)) continue;
        for (const member of counts) {
          const least = member === 'numReplicaGroups' && groups['replicaGroupBased'] === true ? 1 : 0;
          const count = groups[member] ?? 0;
          if (Number(count) < least) {
            const message = `${member} is less than ${least}.`;
            yield { path: `${path}/replicaGroupPartitionConfig/${member}`, message };
          }
        }
      }
    },
  },
];

const segmentKinds = ['OFFLINE', 'CONSUMING', 'COMPLETED'];

/** Rules about servers that are chosen by hand, and about rows that one server must see all of. */
export const partitionRules: readonly TableRule[] = [
  {
    code: 'ASSIGNMENT_COUNT',
    subject: 'assignment',
    severity: 'error',
    description: `The counts of an instance assignment are whole numbers: ${counts.join(', ')}.`,
    *check({ config }) {
      for (const { path, assignment } of assignmentsOf(config)) {
        const { replicaGroupPartitionConfig: groups } = assignment;
        for (const member of isRecord(groups) ? counts : []) {
          const value = isRecord(groups) ? (groups[member] ?? 0) : 0;
          if (typeof value !== 'number' && !(typeof value === 'string' && isInteger(value))) {
            yield { path: `${path}/replicaGroupPartitionConfig/${member}`, message: `${member} is not a whole number.` };
          }
        }
      }
    },
  },
  {
    code: 'IMPLICIT_PARTITIONS',
    subject: 'assignment',
    severity: 'error',
    description:
      'IMPLICIT_REALTIME_TABLE_PARTITION_SELECTOR is for CONSUMING segments of real-time tables, by groups of replicas, with neither numPartitions nor several numInstancesPerPartition.',
    *check({ config }) {
      for (const { kind, path, assignment } of assignmentsOf(config)) {
        if (assignment['partitionSelector'] !== partitionSelectors[3]) continue;
        const groups = isRecord(assignment['replicaGroupPartitionConfig']) ? assignment['replicaGroupPartitionConfig'] : {};
        const isFit =
          config.tableType === 'REALTIME' &&
          kind.toUpperCase() === 'CONSUMING' &&
          groups['replicaGroupBased'] === true &&
          Number(groups['numPartitions'] ?? 0) === 0 &&
          [0, 1].includes(Number(groups['numInstancesPerPartition'] ?? 0));
        if (!isFit) yield { path: `${path}/partitionSelector`, message: 'Partitions do not follow from the stream here.' };
      }
    },
  },
  {
    code: 'INSTANCE_PARTITIONS_KIND',
    subject: 'assignment',
    severity: 'error',
    description: `instancePartitionsMap has servers for ${segmentKinds.join(', ')} segments.`,
    *check({ config: { instancePartitionsMap = {} } }) {
      for (const kind of Object.keys(instancePartitionsMap)) {
        if (!segmentKinds.includes(kind)) {
          const path = pointerTo('/instancePartitionsMap', kind);
          yield { path, message: `‘${kind}’ is not one of ${segmentKinds.join(', ')}.` };
        }
      }
    },
  },
  {
    code: 'INSTANCE_PARTITIONS_TWICE',
    subject: 'assignment',
    severity: 'error',
    description:
      'Segments of a kind are in instancePartitionsMap or in instanceAssignmentConfigMap, not in both, but for MIRROR_SERVER_SET_PARTITION_SELECTOR, which needs both.',
    *check({ config }) {
      const chosen = config.instancePartitionsMap ?? {};
      if (Object.keys(chosen).length === 0) return;
      for (const { kind, path, assignment } of assignmentsOf(config)) {
        if (!segmentKinds.includes(kind)) continue;
        const needsBoth = assignment['partitionSelector'] === partitionSelectors[2];
        if (needsBoth !== Object.hasOwn(chosen, kind)) {
          yield {
            path,
            message: needsBoth ? 'instancePartitionsMap has no servers.' : 'instancePartitionsMap has servers already.',
          };
        }
      }
    },
  },
];

function assignmentsOf({ instanceAssignmentConfigMap = {} }: CheckedTable['config']) {
  return Object.entries(instanceAssignmentConfigMap).map(([kind, assignment]) => {
    const path = pointerTo('/instanceAssignmentConfigMap', kind);
    return { kind, path, assignment: isRecord(assignment) ? assignment : {} };
  });
}
