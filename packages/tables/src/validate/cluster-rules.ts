import { repeated, type TableRule } from './rule.ts';
import { oneOfWords, periodMs, serverTag, valueRule } from './value-rule.ts';

const pruners = ['partition', 'time', 'empty'];
const selectors = ['balanced', 'replicaGroup', 'strictReplicaGroup', 'multiStageReplicaGroup'];

/** Rules about how queries are routed to servers, and about tuners. */
export const routingRules: readonly TableRule[] = [
  valueRule({
    code: 'TUNER_NAME',
    subject: 'tuning',
    severity: 'warning',
    description: 'Every element of tunerConfigs names its tuner.',
    values: [
      {
        at: ['/tunerConfigs/*/name'],
        isEmptyValue: true,
        holds: (name) => name.trim() !== '',
        message: () => 'The element names no tuner.',
      },
    ],
  }),
  valueRule({
    code: 'ROUTING_PRUNER',
    subject: 'routing',
    severity: 'warning',
    description: `segmentPrunerTypes are ${pruners.join(', ')}.`,
    values: [{ at: ['/routing/segmentPrunerTypes/*'], isRequired: true, ...oneOfWords(pruners) }],
  }),
  valueRule({
    code: 'ROUTING_SELECTOR',
    subject: 'routing',
    severity: 'warning',
    description: `instanceSelectorType is ${selectors.join(', ')}.`,
    values: [{ at: ['/routing/instanceSelectorType'], ...oneOfWords(selectors) }],
  }),
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
        if (/^time$/i.test(type) && periodMs(segmentAge) === undefined) {
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
    severity: 'warning',
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
    description: 'quota.storage is a size such as 100G.',
    values: [
      {
        at: ['/quota/storage'],
        isEmptyValue: true,
        holds: (size) => /^\d+(\.\d+)?[KMGTP]?B?$/i.test(size),
        message: (size) => `‘${size}’ is not a size such as 100G.`,
      },
    ],
  }),
  {
    code: 'QUOTA_DIM_TABLE',
    subject: 'quota',
    severity: 'error',
    description: 'quota.storage of a dimension table is at most 200M: every server holds all of it.',
    *check({ config: { isDimTable, quota } }) {
      const [, size, unit = ''] = /^(\d+(?:\.\d+)?)([KMGTP]?)B?$/i.exec(quota?.storage ?? '') ?? [];
      if (isDimTable !== true || size === undefined) return;
      const bytes = Math.floor(Number(size) * 1024 ** ' KMGTP'.indexOf(unit.toUpperCase() || ' '));
      if (bytes > 200 * 1024 * 1024) yield { path: '/quota/storage', message: `${quota?.storage} is more than 200M.` };
    },
  },
  valueRule({
    code: 'QUOTA_QUERIES',
    subject: 'quota',
    description: 'quota.maxQueriesPerSecond is a number of more than 0.',
    values: [
      {
        at: ['/quota/maxQueriesPerSecond'],
        isEmptyValue: true,
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
