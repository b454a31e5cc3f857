import { type CheckedTable, placed, repeated, rulesAbout } from './rule.ts';
import { isSize, oneOfWords, periodMs, serverTag, valuesAt } from './values-at.ts';

const pruners = ['partition', 'time', 'empty'];
const selectors = ['balanced', 'replicaGroup', 'strictReplicaGroup', 'multiStageReplicaGroup'];

const routing = rulesAbout('routing');

/** Rules about the routing of queries to servers, and about tuners. */
export const routingRules = [
  rulesAbout('tuning').warning(
    'TUNER_NAME',
    'Every element of tunerConfigs names its tuner.',
    valuesAt('/tunerConfigs/*/name', {
      isEmptyValue: true,
      holds: (name) => name.trim() !== '',
      message: () => 'The element names no tuner.',
    }),
  ),
  routing.warning(
    'ROUTING_PRUNER',
    `segmentPrunerTypes are ${pruners.join(', ')}.`,
    valuesAt('/routing/segmentPrunerTypes/*', { isRequired: true, ...oneOfWords(pruners) }),
  ),
  routing.warning(
    'ROUTING_SELECTOR',
    `instanceSelectorType is ${selectors.join(', ')}.`,
    valuesAt('/routing/instanceSelectorType', oneOfWords(selectors)),
  ),
];

const tiers = rulesAbout('tiers');

/** Rules about tiers. */
export const tierRules = [
  tiers.error(
    'TIER_NAME',
    'Every tier has a name, and no two have the same.',
    function* ({ config }) {
      const names = tiersOf(config).map(
        ([path, { name = '' }]) => [`${path}/name`, name.trim()] as const,
      );
      for (const [path, name] of names) if (name === '') yield [path, 'The tier has no name.'];
      yield* repeated(names, (name) => `There is another tier ${name}.`);
    },
  ),
  tiers.error(
    'TIER_SELECTOR',
    'segmentSelectorType is time, with a segmentAge such as 7d, or fixed.',
    function* ({ config }) {
      for (const [path, { segmentSelectorType: type = '', segmentAge = '' }] of tiersOf(config)) {
        if (!/^(time|fixed)$/i.test(type)) {
          yield [`${path}/segmentSelectorType`, `‘${type}’ is neither time nor fixed.`];
        }
        if (/^time$/i.test(type) && periodMs(segmentAge) === undefined) {
          yield [`${path}/segmentAge`, `‘${segmentAge}’ is not a period such as 7d.`];
        }
      }
    },
  ),
  tiers.error(
    'TIER_STORAGE',
    'storageType is pinot_server, with a serverTag that ends in _OFFLINE or _REALTIME.',
    function* ({ config }) {
      for (const [path, { storageType = '', serverTag: tag = '' }] of tiersOf(config)) {
        if (!/^pinot_server$/i.test(storageType)) {
          yield [`${path}/storageType`, `‘${storageType}’ is not pinot_server.`];
        } else if (!serverTag.holds(tag)) yield [`${path}/serverTag`, serverTag.message(tag, '')];
      }
    },
  ),
];

function tiersOf({ tierConfigs }: CheckedTable['config']) {
  return placed('/tierConfigs', tierConfigs);
}

const tenant = rulesAbout('tenants');

/** Rules about tenants. */
export const tenantRules = [
  tenant.error(
    'TENANT_UNKNOWN',
    'The tenants of a table exist.',
    function* ({ config: { tenants }, cluster: { brokerTenants, serverTenants } }) {
      for (const [member, known] of [
        ['broker', brokerTenants],
        ['server', serverTenants],
      ] as const) {
        const name = tenants?.[member] ?? 'DefaultTenant';
        if (known !== undefined && !known.includes(name)) {
          yield [`/tenants/${member}`, `There is no tenant ${name} of ${member}s.`];
        }
      }
    },
  ),
  tenant.warning(
    'TENANT_TAG',
    'Tags of tagOverrideConfig end in _OFFLINE or _REALTIME.',
    valuesAt(
      [
        '/tenants/tagOverrideConfig/realtimeConsuming',
        '/tenants/tagOverrideConfig/realtimeCompleted',
      ],
      serverTag,
    ),
  ),
  tenant.error(
    'HYBRID_BROKER_TENANT',
    'Both halves of a table that is offline and real-time have the same tenant of brokers.',
    function* ({ config, cluster: { otherConfig } }) {
      const own = config.tenants?.broker ?? 'DefaultTenant';
      const other = otherConfig?.tenants?.broker ?? 'DefaultTenant';
      if (otherConfig !== undefined && own !== other) {
        yield [
          '/tenants/broker',
          `The tenant of brokers is ${own}, that of the other half ${other}.`,
        ];
      }
    },
  ),
];

const quotas = rulesAbout('quota');

/** Rules about limits. */
export const quotaRules = [
  quotas.error(
    'QUOTA_STORAGE',
    'quota.storage is a size such as 100G.',
    valuesAt('/quota/storage', {
      isEmptyValue: true,
      holds: isSize,
      message: (size) => `‘${size}’ is not a size such as 100G.`,
    }),
  ),
  quotas.error(
    'QUOTA_DIM_TABLE',
    'quota.storage of a dimension table is at most 200M: every server holds all of it.',
    function* ({ config: { isDimTable, quota } }) {
      const [, size, unit = ''] = /^(\d+(?:\.\d+)?)([KMGTP]?)B?$/i.exec(quota?.storage ?? '') ?? [];
      if (isDimTable !== true || size === undefined) return;
      const bytes = Math.floor(Number(size) * 1024 ** ' KMGTP'.indexOf(unit.toUpperCase() || ' '));
      if (bytes > 200 * 1024 * 1024) {
        yield ['/quota/storage', `${quota?.storage} is more than 200M.`];
      }
    },
  ),
  quotas.error(
    'QUOTA_QUERIES',
    'quota.maxQueriesPerSecond is a number greater than 0.',
    valuesAt('/quota/maxQueriesPerSecond', {
      isEmptyValue: true,
      holds: (rate) => Number(rate) > 0,
      message: (rate) => `‘${rate}’ is not a number greater than 0.`,
    }),
  ),
  quotas.error(
    'QUERY_LIMITS',
    'Limits of queries are greater than 0.',
    valuesAt(
      ['/query/timeoutMs', '/query/maxQueryResponseSizeBytes', '/query/maxServerResponseSizeBytes'],
      {
        holds: (limit) => Number(limit) > 0,
        message: (limit) => `‘${limit}’ is not greater than 0.`,
      },
    ),
  ),
];
