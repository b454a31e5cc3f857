import { isRecord } from '../model/model-schema.ts';
import { pointerTo } from '../json-pointer.ts';
import { repeated } from './columns.ts';
import { cronProblem } from './cron.ts';
import { isPeriod } from './segment-rules.ts';
import type { TableRule } from './rule.ts';

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
      for (const [index, { storageType = '', serverTag = '' }] of (config.tierConfigs ?? []).entries()) {
        const path = `/tierConfigs/${index}`;
        if (!/^pinot_server$/i.test(storageType)) {
          yield { path: `${path}/storageType`, message: `‘${storageType}’ is not pinot_server.` };
        } else if (!isServerTag(serverTag)) {
          yield { path: `${path}/serverTag`, message: `‘${serverTag}’ does not end in _OFFLINE or _REALTIME.` };
        }
      }
    },
  },
];

/** Rules about background tasks. */
export const taskRules: readonly TableRule[] = [
  {
    code: 'TASK_TYPE',
    subject: 'tasks',
    severity: 'error',
    description: 'Types of tasks are known to the cluster, and their options are an object.',
    *check({ config, cluster: { taskTypes } }) {
      for (const [type, options] of Object.entries(config.task?.taskTypeConfigsMap ?? {})) {
        const path = pointerTo('/task/taskTypeConfigsMap', type);
        if (!isRecord(options)) yield { path, message: `The options of ${type} are not an object.` };
        if (taskTypes !== undefined && !taskTypes.includes(type)) {
          yield { path, message: `${type} is not one of ${taskTypes.join(', ')}.` };
        }
      }
    },
  },
  {
    code: 'TASK_SCHEDULE',
    subject: 'tasks',
    severity: 'warning',
    description: 'The schedule of a task is a cron expression of 6 or 7 fields within their ranges, such as 0 */10 * * * ?.',
    *check({ config }) {
      for (const [type, options] of Object.entries(config.task?.taskTypeConfigsMap ?? {})) {
        const schedule = isRecord(options) ? options['schedule'] : undefined;
        if (schedule === undefined || schedule === null || schedule === '') continue;
        const problem = typeof schedule === 'string' ? cronProblem(schedule) : 'The schedule is not text.';
        if (problem !== undefined) yield { path: pointerTo('/task/taskTypeConfigsMap', type, 'schedule'), message: problem };
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
  {
    code: 'TENANT_TAG',
    subject: 'tenants',
    severity: 'error',
    description: 'Tags of tagOverrideConfig end in _OFFLINE or _REALTIME.',
    *check({ config: { tenants } }) {
      for (const member of ['realtimeConsuming', 'realtimeCompleted'] as const) {
        const tag = tenants?.tagOverrideConfig?.[member] ?? '';
        if (tag !== '' && !isServerTag(tag)) {
          yield { path: `/tenants/tagOverrideConfig/${member}`, message: `‘${tag}’ does not end in _OFFLINE or _REALTIME.` };
        }
      }
    },
  },
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
  {
    code: 'QUOTA_STORAGE',
    subject: 'quota',
    severity: 'error',
    description: 'quota.storage is a size such as 100G, of at least 1 byte.',
    *check({ config: { quota } }) {
      const size = quota?.storage ?? '';
      if (size !== '' && !/^(?=.*[1-9])\d+(\.\d+)?\s*[BKMGTP]?(B|iB)?$/i.test(size.trim())) {
        yield { path: '/quota/storage', message: `‘${size}’ is not a size such as 100G.` };
      }
    },
  },
  {
    code: 'QUOTA_QUERIES',
    subject: 'quota',
    severity: 'error',
    description: 'quota.maxQueriesPerSecond is a number of more than 0.',
    *check({ config: { quota } }) {
      const rate = quota?.maxQueriesPerSecond ?? '';
      if (rate !== '' && !(Number(rate) > 0)) {
        yield { path: '/quota/maxQueriesPerSecond', message: `‘${rate}’ is not a number of more than 0.` };
      }
    },
  },
  {
    code: 'QUERY_LIMITS',
    subject: 'quota',
    severity: 'error',
    description: 'Limits of queries are more than 0.',
    *check({ config: { query } }) {
      for (const member of ['timeoutMs', 'maxQueryResponseSizeBytes', 'maxServerResponseSizeBytes'] as const) {
        const limit = query?.[member];
        if (limit !== undefined && limit <= 0) yield { path: `/query/${member}`, message: `‘${limit}’ is not more than 0.` };
      }
    },
  },
];

function isServerTag(tag: string): boolean {
  return /^.+_(OFFLINE|REALTIME)$/.test(tag);
}
