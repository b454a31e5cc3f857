import { pointerTo } from '../json-pointer.ts';
import { isRecord } from '../model/model-schema.ts';
import type { CheckedTable, TableRule } from './rule.ts';

const kindsOfType = { OFFLINE: ['OFFLINE'], REALTIME: ['CONSUMING', 'COMPLETED'] } as const;
const requiredMembers = ['tagPoolConfig', 'replicaGroupPartitionConfig'] as const;
const selectors = [
  'FD_AWARE_INSTANCE_PARTITION_SELECTOR',
  'INSTANCE_REPLICA_GROUP_PARTITION_SELECTOR',
  'MIRROR_SERVER_SET_PARTITION_SELECTOR',
];
const counts = ['numInstances', 'numReplicaGroups', 'numInstancesPerReplicaGroup', 'numPartitions', 'numInstancesPerPartition'];

/** Rules about how servers are chosen for the segments of a table. */
export const assignmentRules: readonly TableRule[] = [
  {
    code: 'INSTANCE_ASSIGNMENT_KIND',
    subject: 'assignment',
    severity: 'error',
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
    description: `An instance assignment is an object with ${requiredMembers.join(' and ')}.`,
    *check({ config }) {
      for (const { path, assignment } of assignmentsOf(config)) {
        for (const member of requiredMembers) {
          if (!isRecord(assignment[member])) yield { path: `${path}/${member}`, message: `The assignment has no ${member}.` };
        }
      }
    },
  },
  {
    code: 'INSTANCE_TAG',
    subject: 'assignment',
    severity: 'error',
    description: 'A pool of servers has a tag that ends in _OFFLINE or _REALTIME.',
    *check({ config }) {
      for (const { path, assignment } of assignmentsOf(config)) {
        const { tagPoolConfig: pool } = assignment;
        if (!isRecord(pool)) continue;
        const tag = typeof pool['tag'] === 'string' ? pool['tag'] : '';
        if (!/^.+_(OFFLINE|REALTIME)$/.test(tag)) {
          yield { path: `${path}/tagPoolConfig/tag`, message: `‘${tag}’ does not end in _OFFLINE or _REALTIME.` };
        }
      }
    },
  },
  {
    code: 'PARTITION_SELECTOR',
    subject: 'assignment',
    severity: 'error',
    description: `partitionSelector is ${selectors.join(', ')}.`,
    *check({ config }) {
      for (const { path, assignment } of assignmentsOf(config)) {
        const selector = assignment['partitionSelector'] ?? selectors[1];
        if (typeof selector !== 'string' || !selectors.includes(selector)) {
          yield { path: `${path}/partitionSelector`, message: `It is not one of ${selectors.join(', ')}.` };
        }
      }
    },
  },
  {
    code: 'REPLICA_GROUPS',
    subject: 'assignment',
    severity: 'error',
    description:
      'Counts of servers and partitions are whole numbers; choosing by groups of replicas needs numReplicaGroups of at least 1.',
    *check({ config }) {
      for (const { path, assignment } of assignmentsOf(config)) {
        const { replicaGroupPartitionConfig: groups } = assignment;
        if (!isRecord(groups)) continue;
        for (const member of counts) {
          const least = member === 'numReplicaGroups' && groups['replicaGroupBased'] === true ? 1 : 0;
          const count = groups[member] ?? 0;
          if (!Number.isSafeInteger(count) || Number(count) < least) {
            const message = `${member} is not a whole number of at least ${least}.`;
            yield { path: `${path}/replicaGroupPartitionConfig/${member}`, message };
          }
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
