import { type CheckedTable, placed, repeated, rulesAbout } from './rule.ts';
import { isSize, javaNumber, oneOfWords, periodMs, serverTag, valuesAt } from './values-at.ts';

const pruners = ['partition', 'time', 'empty'];
const selectors = ['balanced', 'replicaGroup', 'strictReplicaGroup', 'multiStageReplicaGroup'];

const routing = rulesAbout('routing');

/** Rules about the routing of queries to servers, and about tuners. */
export const routingRules = [
  rulesAbout('tuning').warning(
    'TUNER_NAME',
    'Every element of tunerConfigs should name its tuner.',
    valuesAt('/tunerConfigs/*/name', {
      isEmptyValue: true,
      holds: (name) => name.trim() !== '',
      message: () => 'The name of the tuner is empty.',
    }),
  ),
  routing.warning(
    'ROUTING_PRUNER',
    `Elements of segmentPrunerTypes should be one of ${pruners.join(', ')}.`,
    valuesAt('/routing/segmentPrunerTypes/*', { isRequired: true, ...oneOfWords(pruners) }),
  ),
  routing.warning(
    'ROUTING_SELECTOR',
    `instanceSelectorType should be one of ${selectors.join(', ')}.`,
    valuesAt('/routing/instanceSelectorType', oneOfWords(selectors)),
  ),
];

const tiers = rulesAbout('tiers');

/** Rules about tiers. */
export const tierRules = [
  tiers.error('TIER_NAME', 'Every tier must have a unique name.', function* ({ config }) {
    const names = tiersOf(config).map(
      ([path, { name = '' }]) => [`${path}/name`, name.trim()] as const,
    );
    for (const [path, name] of names) if (name === '') yield [path, 'The tier has no name.'];
    yield* repeated(names, (name) => `The tier name ${name} is repeated.`);
  }),
  tiers.error(
    'TIER_SELECTOR',
    'segmentSelectorType must be time, with a segmentAge such as 7d, or fixed.',
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
    'storageType must be pinot_server, with a serverTag that ends in _OFFLINE or _REALTIME.',
    function* ({ config }) {
      for (const [path, { storageType = '', serverTag: tag = '' }] of tiersOf(config)) {
        if (!/^pinot_server$/i.test(storageType)) {
          yield [
            `${path}/storageType`,
            `The storageType ‘${storageType}’ is not supported; expected pinot_server.`,
          ];
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
    'The tenants of a table must exist.',
    function* ({ config: { tenants }, cluster: { brokerTenants, serverTenants } }) {
      for (const [member, known] of [
        ['broker', brokerTenants],
        ['server', serverTenants],
      ] as const) {
        const name = tenants?.[member] ?? 'DefaultTenant';
        if (known !== undefined && !known.includes(name)) {
          yield [`/tenants/${member}`, `The ${member} tenant ${name} does not exist.`];
        }
      }
    },
  ),
  tenant.warning(
    'TENANT_TAG',
    'Tags of tagOverrideConfig should end in _OFFLINE or _REALTIME.',
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
    'The offline and the real-time config of a hybrid table must have the same broker tenant.',
    function* ({ config, cluster: { otherConfig } }) {
      const own = config.tenants?.broker ?? 'DefaultTenant';
      const other = otherConfig?.tenants?.broker ?? 'DefaultTenant';
      if (otherConfig !== undefined && own !== other) {
        yield [
          '/tenants/broker',
          `The broker tenant is ${own}, but ${other} in the other config of this hybrid table.`,
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
    'quota.storage must be a size such as 100G.',
    valuesAt('/quota/storage', {
      isEmptyValue: true,
      holds: isSize,
      message: (size) => `‘${size}’ is not a size such as 100G.`,
    }),
  ),
  quotas.error(
    'QUOTA_DIM_TABLE',
    'quota.storage of a dimension table must be at most 200M, since every server stores all of it.',
    function* ({ config: { isDimTable, quota } }) {
      const [, size, unit = ''] = /^(\d+(?:\.\d+)?)([KMGTP]?)B?$/i.exec(quota?.storage ?? '') ?? [];
      if (isDimTable !== true || size === undefined) return;
      const bytes = Math.floor(Number(size) * 1024 ** ' KMGTP'.indexOf(unit.toUpperCase() || ' '));
      if (bytes > 200 * 1024 * 1024) {
        yield ['/quota/storage', `${quota?.storage} exceeds 200M, the limit of a dimension table.`];
      }
    },
  ),
  quotas.error(
    'QUOTA_QUERIES',
    'quota.maxQueriesPerSecond must be a number greater than 0.',
    valuesAt('/quota/maxQueriesPerSecond', {
      isEmptyValue: true,
      holds: (rate) => javaNumber(rate) > 0,
      message: (rate) => `‘${rate}’ is not a number greater than 0.`,
    }),
  ),
  quotas.error(
    'QUERY_LIMITS',
    'Limits of queries must be greater than 0.',
    valuesAt(
      ['/query/timeoutMs', '/query/maxQueryResponseSizeBytes', '/query/maxServerResponseSizeBytes'],
      {
        holds: (limit) => Number(limit) > 0,
        message: (limit) => `‘${limit}’ is not greater than 0.`,
      },
    ),
  ),
];
