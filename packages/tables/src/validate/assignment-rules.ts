import { Type } from '@quire/core/schema';
import { isRecord } from '../model/document.ts';
import { readModel } from '../model/read-model.ts';
import { type CheckedTable, placedMembers, rulesAbout } from './rule.ts';
import { isInteger, serverTag, valuesAt } from './values-at.ts';

const { error, warning } = rulesAbout('assignment');

const kindsOfType = { OFFLINE: ['OFFLINE'], REALTIME: ['CONSUMING', 'COMPLETED'] } as const;
const requiredMembers = ['tagPoolConfig', 'replicaGroupPartitionConfig'] as const;
const partitionSelectors = [
  'FD_AWARE_INSTANCE_PARTITION_SELECTOR',
  'INSTANCE_REPLICA_GROUP_PARTITION_SELECTOR',
  'MIRROR_SERVER_SET_PARTITION_SELECTOR',
  'IMPLICIT_REALTIME_TABLE_PARTITION_SELECTOR',
];
const counts = [
  'numInstances',
  'numReplicaGroups',
  'numInstancesPerReplicaGroup',
  'numPartitions',
  'numInstancesPerPartition',
];

/** Rules about the assignment of instances to the segments of a table. */
export const assignmentRules = [
  warning(
    'INSTANCE_ASSIGNMENT_KIND',
    'Instances should be assigned to OFFLINE segments, to CONSUMING and COMPLETED segments of a real-time table, or to a tier.',
    function* ({ config }) {
      const kinds = kindsOfType[config.tableType ?? 'OFFLINE'];
      const known = [...kinds, ...(config.tierConfigs ?? []).map(({ name }) => name ?? '')];
      for (const { kind, path } of assignmentsOf(config)) {
        if (!known.includes(kind)) {
          yield [
            path,
            `The table has no segments of the kind ‘${kind}’; expected one of ${known.join(', ')}.`,
          ];
        }
      }
    },
  ),
  error(
    'INSTANCE_ASSIGNMENT_MEMBERS',
    `An instance assignment must be an object with ${requiredMembers.join(' and ')}, and its tagPoolConfig must have a tag.`,
    function* ({ config }) {
      for (const { path, assignment } of assignmentsOf(config)) {
        for (const member of requiredMembers) {
          if (!isRecord(assignment[member])) {
            yield [`${path}/${member}`, `The instance assignment has no ${member}.`];
          }
        }
        const { tagPoolConfig } = assignment;
        if (isRecord(tagPoolConfig) && (tagPoolConfig['tag'] ?? undefined) === undefined) {
          yield [`${path}/tagPoolConfig/tag`, 'The tagPoolConfig has no tag.'];
        }
      }
    },
  ),
  warning(
    'INSTANCE_TAG',
    'The tag of a tagPoolConfig should end in _OFFLINE or _REALTIME.',
    valuesAt('/instanceAssignmentConfigMap/*/tagPoolConfig/tag', {
      isEmptyValue: true,
      ...serverTag,
    }),
  ),
  error(
    'PARTITION_SELECTOR',
    `partitionSelector must be one of ${partitionSelectors.join(', ')}.`,
    function* ({ config }) {
      for (const { path, assignment } of assignmentsOf(config)) {
        const selector = assignment['partitionSelector'] ?? partitionSelectors[1];
        if (typeof selector !== 'string' || !partitionSelectors.includes(selector)) {
          yield [
            `${path}/partitionSelector`,
            `The partitionSelector is not one of ${partitionSelectors.join(', ')}.`,
          ];
        }
      }
    },
  ),
  warning(
    'REPLICA_GROUPS',
    'Counts of instances and partitions should be at least 0; replicaGroupBased requires a numReplicaGroups of at least 1.',
    function* ({ config }) {
      for (const { path, groups } of assignmentsOf(config)) {
        for (const member of counts) {
          const least =
            member === 'numReplicaGroups' && groups['replicaGroupBased'] === true ? 1 : 0;
          if (Number(groups[member] ?? 0) < least) {
            yield [
              `${path}/replicaGroupPartitionConfig/${member}`,
              `${member} is ${Number(groups[member] ?? 0)}; expected at least ${least}.`,
            ];
          }
        }
      }
    },
  ),
];

const segmentKinds = ['OFFLINE', 'CONSUMING', 'COMPLETED'];
const implicitRequirements =
  'CONSUMING segments of a real-time table, replicaGroupBased, no numPartitions, and a numInstancesPerPartition of at most 1';

/** The types of members that no other rule checks. */
const memberTypes = {
  instanceAssignmentConfigMap: Type.Object({
    tagPoolConfig: Type.Object({
      tag: Type.String(),
      poolBased: Type.Boolean(),
      numPools: Type.Integer(),
      pools: Type.Array(Type.Integer()),
    }),
    replicaGroupPartitionConfig: Type.Object({
      replicaGroupBased: Type.Boolean(),
      minimizeDataMovement: Type.Boolean(),
      partitionColumn: Type.String(),
    }),
    constraintConfig: Type.Object({ constraints: Type.Array(Type.String()) }),
    minimizeDataMovement: Type.Boolean(),
  }),
  segmentAssignmentConfigMap: Type.Object({ segmentAssignmentStrategy: Type.String() }),
} as const;

/** Rules about instances that are assigned manually, and about implicit partitions. */
export const partitionRules = [
  error(
    'ASSIGNMENT_TYPE',
    'Members of instanceAssignmentConfigMap and segmentAssignmentConfigMap must be objects with values of the types that Apache Pinot reads, such as {"numPools": 1}.',
    function* ({ config }) {
      for (const [member, model] of Object.entries(memberTypes)) {
        const assignments = config[member as keyof typeof memberTypes];
        for (const [path, , given] of placedMembers(`/${member}`, assignments)) {
          const { findings } = readModel(model, given ?? {});
          for (const { path: place, message, severity } of findings) {
            if (severity === 'error') yield [`${path}${place}`, message];
          }
        }
      }
    },
  ),
  error(
    'ASSIGNMENT_COUNT',
    `The counts of an instance assignment must be whole numbers: ${counts.join(', ')}.`,
    function* ({ config }) {
      for (const { path, groups } of assignmentsOf(config)) {
        for (const member of counts) {
          const value = groups[member] ?? 0;
          if (typeof value !== 'number' && !(typeof value === 'string' && isInteger(value))) {
            yield [
              `${path}/replicaGroupPartitionConfig/${member}`,
              `${member} is not a whole number.`,
            ];
          }
        }
      }
    },
  ),
  error(
    'IMPLICIT_PARTITIONS',
    `IMPLICIT_REALTIME_TABLE_PARTITION_SELECTOR requires ${implicitRequirements}.`,
    function* ({ config }) {
      for (const { kind, path, assignment, groups } of assignmentsOf(config)) {
        if (assignment['partitionSelector'] !== partitionSelectors[3]) continue;
        const isFit =
          config.tableType === 'REALTIME' &&
          kind.toUpperCase() === 'CONSUMING' &&
          groups['replicaGroupBased'] === true &&
          Number(groups['numPartitions'] ?? 0) === 0 &&
          [0, 1].includes(Number(groups['numInstancesPerPartition'] ?? 0));
        if (!isFit) {
          yield [
            `${path}/partitionSelector`,
            `This partitionSelector requires ${implicitRequirements}.`,
          ];
        }
      }
    },
  ),
  error(
    'INSTANCE_PARTITIONS_KIND',
    `Members of instancePartitionsMap must be one of ${segmentKinds.join(', ')}.`,
    function* ({ config }) {
      for (const [path, kind] of placedMembers(
        '/instancePartitionsMap',
        config.instancePartitionsMap,
      )) {
        if (!segmentKinds.includes(kind)) {
          yield [path, `‘${kind}’ is not one of ${segmentKinds.join(', ')}.`];
        }
      }
    },
  ),
  error(
    'INSTANCE_PARTITIONS_TWICE',
    'A kind of segment must not be in both instancePartitionsMap and instanceAssignmentConfigMap, except for MIRROR_SERVER_SET_PARTITION_SELECTOR, which requires both.',
    function* ({ config }) {
      const chosen = config.instancePartitionsMap ?? {};
      if (Object.keys(chosen).length === 0) return;
      for (const { kind, path, assignment } of assignmentsOf(config)) {
        if (!segmentKinds.includes(kind)) continue;
        const needsBoth = assignment['partitionSelector'] === partitionSelectors[2];
        if (needsBoth !== Object.hasOwn(chosen, kind)) {
          yield [
            path,
            needsBoth
              ? `${partitionSelectors[2]} requires ${kind} in instancePartitionsMap as well.`
              : `${kind} is in instancePartitionsMap as well: remove one of them.`,
          ];
        }
      }
    },
  ),
];

function assignmentsOf({ instanceAssignmentConfigMap }: CheckedTable['config']) {
  return placedMembers('/instanceAssignmentConfigMap', instanceAssignmentConfigMap).map(
    ([path, kind, given]) => {
      const assignment = isRecord(given) ? given : {};
      const { replicaGroupPartitionConfig: groups } = assignment;
      return { kind, path, assignment, groups: isRecord(groups) ? groups : {} };
    },
  );
}
