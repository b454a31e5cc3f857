import { isRecord } from '../model/document.ts';
import { pointerTo } from '../finding.ts';
import { type CheckedTable, repeated, type TableRule } from './rule.ts';
import { isPeriod, oneOfWords, serverTag, valueRule } from './value-rule.ts';

const pruners = ['partition', 'time', 'empty'];
const selectors = ['balanced', 'replicaGroup', 'strictReplicaGroup', 'multiStageReplicaGroup'];

/** Rules about how queries are routed to servers, and about tuners. */
export const routingRules: readonly TableRule[] = [
  valueRule({
    code: 'TUNER_NAME',
    subject: 'tuning',
    description: 'Every element of tunerConfigs names its tuner.',
    values: [
      {
        at: ['/tunerConfigs/*/name'],
        isRequired: true,
        holds: (name) => name.trim() !== '',
        message: () => 'The element names no tuner.',
      },
    ],
  }),
  valueRule({
    code: 'ROUTING_PRUNER',
    subject: 'routing',
    description: `segmentPrunerTypes are ${pruners.join(', ')}.`,
    values: [{ at: ['/routing/segmentPrunerTypes/*'], isRequired: true, ...oneOfWords(pruners) }],
  }),
  valueRule({
    code: 'ROUTING_SELECTOR',
    subject: 'routing',
    description: `instanceSelectorType is ${selectors.join(', ')}.`,
    values: [{ at: ['/routing/instanceSelectorType'], ...oneOfWords(selectors) }],
  }),
];

const kindsOfType = { OFFLINE: ['OFFLINE'], REALTIME: ['CONSUMING', 'COMPLETED'] } as const;
const requiredMembers = ['tagPoolConfig', 'replicaGroupPartitionConfig'] as const;
const partitionSelectors = [
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
  valueRule({
    code: 'INSTANCE_TAG',
    subject: 'assignment',
    description: 'A pool of servers has a tag that ends in _OFFLINE or _REALTIME.',
    values: [{ at: ['/instanceAssignmentConfigMap/*/tagPoolConfig/tag'], isRequired: true, ...serverTag }],
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

/** Rules about tiers. */
export const tierRules: readonly TableRule[] = [
  {
    code: 'TIER_NAME',
    subject: 'tiers',
    severity: 'error',
    description: 'Every tier has a name, and no two have the same.',
    *check({ config }) {
      const names = (config.tierConfigs ?? []).map(({ name = '' }) => name.trim());
      for (const [index, name] of names.entries()) {
        if (name === '') yield { path: `/tierConfigs/${index}/name`, message: 'The tier has no name.' };
      }
      for (const [name, index] of repeated(names)) {
        yield { path: `/tierConfigs/${index}/name`, message: `There is another tier ${name}.` };
      }
    },
  },
  {
    code: 'TIER_SELECTOR',
    subject: 'tiers',
    severity: 'error',
    description: 'segmentSelectorType is time, with a segmentAge such as 7d, or fixed.',
    *check({ config }) {
      for (const [index, { segmentSelectorType: type = '', segmentAge = '' }] of (config.tierConfigs ?? []).entries()) {
        const path = `/tierConfigs/${index}`;
        if (!/^(time|fixed)$/i.test(type)) {
          yield { path: `${path}/segmentSelectorType`, message: `‘${type}’ is neither time nor fixed.` };
        }
        if (/^time$/i.test(type) && !isPeriod(segmentAge)) {
          yield { path: `${path}/segmentAge`, message: `‘${segmentAge}’ is not a period such as 7d.` };
        }
      }
    },
  },
  {
    code: 'TIER_STORAGE',
    subject: 'tiers',
    severity: 'error',
    description: 'storageType is pinot_server, with a serverTag that ends in _OFFLINE or _REALTIME.',
    *check({ config }) {
      for (const [index, { storageType = '', serverTag: tag = '' }] of (config.tierConfigs ?? []).entries()) {
        const path = `/tierConfigs/${index}`;
        if (!/^pinot_server$/i.test(storageType)) {
          yield { path: `${path}/storageType`, message: `‘${storageType}’ is not pinot_server.` };
        } else if (!serverTag.holds(tag)) {
          yield { path: `${path}/serverTag`, message: serverTag.message(tag, '') };
        }
      }
    },
  },
];

/** Rules about tenants. */
export const tenantRules: readonly TableRule[] = [
  {
    code: 'TENANT_UNKNOWN',
    subject: 'tenants',
    severity: 'error',
    description: 'The tenants of a table exist.',
    *check({ config: { tenants }, cluster: { brokerTenants, serverTenants } }) {
      for (const [member, known] of [
        ['broker', brokerTenants],
        ['server', serverTenants],
      ] as const) {
        const name = tenants?.[member] ?? 'DefaultTenant';
        if (known !== undefined && !known.includes(name)) {
          yield { path: `/tenants/${member}`, message: `There is no tenant ${name} of ${member}s.` };
        }
      }
    },
  },
  valueRule({
    code: 'TENANT_TAG',
    subject: 'tenants',
    description: 'Tags of tagOverrideConfig end in _OFFLINE or _REALTIME.',
    values: [
      { at: ['/tenants/tagOverrideConfig/realtimeConsuming', '/tenants/tagOverrideConfig/realtimeCompleted'], ...serverTag },
    ],
  }),
  {
    code: 'HYBRID_BROKER_TENANT',
    subject: 'tenants',
    severity: 'error',
    description: 'Both halves of a table that is offline and real-time have the same tenant of brokers.',
    *check({ config, cluster: { otherConfig } }) {
      const own = config.tenants?.broker ?? 'DefaultTenant';
      const other = otherConfig?.tenants?.broker ?? 'DefaultTenant';
      if (otherConfig !== undefined && own !== other) {
        yield { path: '/tenants/broker', message: `The tenant of brokers is ${own}, that of the other half ${other}.` };
      }
    },
  },
];

/** Rules about limits. */
export const quotaRules: readonly TableRule[] = [
  valueRule({
    code: 'QUOTA_STORAGE',
    subject: 'quota',
    description: 'quota.storage is a size such as 100G, of at least 1 byte.',
    values: [
      {
        at: ['/quota/storage'],
        holds: (size) => /^(?=.*[1-9])\d+(\.\d+)?\s*[BKMGTP]?(B|iB)?$/i.test(size.trim()),
        message: (size) => `‘${size}’ is not a size such as 100G.`,
      },
    ],
  }),
  valueRule({
    code: 'QUOTA_QUERIES',
    subject: 'quota',
    description: 'quota.maxQueriesPerSecond is a number of more than 0.',
    values: [
      {
        at: ['/quota/maxQueriesPerSecond'],
        holds: (rate) => Number(rate) > 0,
        message: (rate) => `‘${rate}’ is not a number of more than 0.`,
      },
    ],
  }),
  valueRule({
    code: 'QUERY_LIMITS',
    subject: 'quota',
    description: 'Limits of queries are more than 0.',
    values: [
      {
        at: ['/query/timeoutMs', '/query/maxQueryResponseSizeBytes', '/query/maxServerResponseSizeBytes'],
        holds: (limit) => Number(limit) > 0,
        message: (limit) => `‘${limit}’ is not more than 0.`,
      },
    ],
  }),
];

function assignmentsOf({ instanceAssignmentConfigMap = {} }: CheckedTable['config']) {
  return Object.entries(instanceAssignmentConfigMap).map(([kind, assignment]) => {
    const path = pointerTo('/instanceAssignmentConfigMap', kind);
    return { kind, path, assignment: isRecord(assignment) ? assignment : {} };
  });
}
