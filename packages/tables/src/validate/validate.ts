import {
  type CompleteTableConfig,
  completeTableConfig,
  parseTableConfig,
  type TableConfig,
} from '../config/table-config.ts';
import {
  type CompleteTableSchema,
  completeTableSchema,
  parseTableSchema,
  type TableSchema,
} from '../config/table-schema.ts';
import { type Finding, nestFindings, sortFindings } from '../finding.ts';
import { isRecord } from '../model/document.ts';
import type { ModelVerdict } from '../model/read-model.ts';
import { assignmentRules, partitionRules } from './assignment-rules.ts';
import { quotaRules, routingRules, tenantRules, tierRules } from './cluster-rules.ts';
import { expressionRules, schemaExpressionRules } from './expression-rules.ts';
import { indexOptionRules } from './index-options.ts';
import { indexRules } from './index-rules.ts';
import { starTreeRules } from './star-tree-rules.ts';
import { batchRules, ingestionRules, schemaConformingRules } from './ingestion-rules.ts';
import { nameRules } from './name-rules.ts';
import {
  type CheckedSchema,
  type CheckedTable,
  type ClusterContext,
  columnsOf,
  type Rule,
  type SchemaRule,
  type TableRule,
} from './rule.ts';
import { schemaColumnRules } from './schema-column-rules.ts';
import { schemaTimeRules } from './schema-time-rules.ts';
import { segmentRules, timeColumnRules } from './segment-rules.ts';
import { streamRules } from './stream-rules.ts';
import { taskOptionRules, taskRules } from './task-rules.ts';
import { dedupRules, keyRules, upsertRules } from './upsert-rules.ts';

/** The context of the validation of a table config. */
export interface TableContext extends ClusterContext {
  /** If omitted, rules that need the schema are satisfied. */
  readonly schema?: TableSchema;
}

/**
 * Returns a finding for each violation of a rule about schemas, in order; paths point into the
 * schema. Pure.
 */
export function validateTableSchema(schema: TableSchema): readonly Finding[] {
  return check(schemaRules, checkedSchemaOf(schema));
}

/**
 * Returns a finding for each violation of a rule about table configs, in order; paths point into
 * the config. Pure.
 */
export function validateTableConfig(
  config: TableConfig,
  context: TableContext = {},
): readonly Finding[] {
  const { schema, ...cluster } = context;
  const checked: CheckedTable = {
    config,
    schema: schema === undefined ? undefined : checkedSchemaOf(schema),
    cluster,
  };
  return check(tableRules, checked);
}

function checkedSchemaOf(schema: TableSchema): CheckedSchema {
  return { schema, columns: columnsOf(schema) };
}

function check<Checked>(rules: readonly Rule<Checked>[], checked: Checked): readonly Finding[] {
  const findings = rules.flatMap(({ code, severity, check: findFaults }) =>
    Array.from(findFaults(checked), ([path, message]): Finding => ({
      path,
      code,
      message,
      severity,
    })),
  );
  return sortFindings(findings);
}

/** Every rule about schemas. */
export const schemaRules: readonly SchemaRule[] = [
  ...schemaColumnRules,
  ...schemaTimeRules,
  ...schemaExpressionRules,
];

/** Every rule about table configs. */
export const tableRules: readonly TableRule[] = [
  ...nameRules,
  ...timeColumnRules,
  ...segmentRules,
  ...ingestionRules,
  ...batchRules,
  ...schemaConformingRules,
  ...expressionRules,
  ...indexRules,
  ...indexOptionRules,
  ...starTreeRules,
  ...upsertRules,
  ...dedupRules,
  ...keyRules,
  ...routingRules,
  ...assignmentRules,
  ...partitionRules,
  ...tierRules,
  ...taskRules,
  ...taskOptionRules,
  ...tenantRules,
  ...streamRules,
  ...quotaRules,
];

/** The verdict on a user's config or schema. */
export interface Verdict extends ModelVerdict {
  /** True if no finding is an error. */
  readonly valid: boolean;
}

/** A schema with its full set of members, and all findings about it. */
export interface CheckedSchemaDocument extends Verdict {
  readonly schema: CompleteTableSchema;
}

/** A table config with its full set of members, under its type, and all findings about it. */
export interface CheckedTableDocument extends Verdict {
  readonly OFFLINE?: CompleteTableConfig;
  readonly REALTIME?: CompleteTableConfig;
}

/** A schema with the configs of its table, and all findings about them, alone and together. */
export interface CheckedTablesDocument extends Verdict {
  readonly tableName: string;
  readonly schema: CompleteTableSchema | null;
  readonly offline: CompleteTableConfig | null;
  readonly realtime: CompleteTableConfig | null;
}

/** The properties of the cluster that rules need. */
export type Cluster = Omit<ClusterContext, 'otherConfig'>;

/** Parses a schema and checks it against every rule; never throws. */
export function checkTableSchema(document: unknown): CheckedSchemaDocument {
  const { schema, findings, unrecognizedProperties } = parseTableSchema(document);
  return {
    schema: completeTableSchema(schema),
    ...verdictOf([...findings, ...validateTableSchema(schema)], unrecognizedProperties),
  };
}

/** Parses a table config and checks it against every rule that needs no schema; never throws. */
export function checkTableConfig(document: unknown, cluster: Cluster = {}): CheckedTableDocument {
  const { config, findings, unrecognizedProperties } = parseTableConfig(document);
  const type = config.tableType === 'REALTIME' ? 'REALTIME' : 'OFFLINE';
  const all = [...findings, ...validateTableConfig(config, cluster)];
  return { [type]: completeTableConfig(config), ...verdictOf(all, unrecognizedProperties) };
}

/** Parses `{tableName, schema, offline, realtime}` and checks all of it together; never throws. */
export function checkTableConfigs(document: unknown, cluster: Cluster = {}): CheckedTablesDocument {
  const given = isRecord(document) ? document : {};
  const readOne = <Parsed extends ModelVerdict>(
    name: string,
    parse: (value: unknown) => Parsed,
  ): Parsed | undefined =>
    given[name] === undefined || given[name] === null ? undefined : parse(given[name]);
  const schema = readOne('schema', parseTableSchema);
  const offline = readOne('offline', parseTableConfig);
  const realtime = readOne('realtime', parseTableConfig);
  const { tableName } = given;
  const name = typeof tableName === 'string' ? tableName : (schema?.schema.schemaName ?? '');
  const configFindings = (config: typeof offline, other: typeof offline): readonly Finding[] =>
    config === undefined
      ? []
      : validateTableConfig(config.config, {
          ...cluster,
          ...(schema !== undefined && { schema: schema.schema }),
          ...(other !== undefined && { otherConfig: other.config }),
        });
  const parts = [
    {
      pointer: '/schema',
      part: schema,
      more: schema === undefined ? [] : validateTableSchema(schema.schema),
    },
    { pointer: '/offline', part: offline, more: configFindings(offline, realtime) },
    { pointer: '/realtime', part: realtime, more: configFindings(realtime, offline) },
  ];
  const findings = parts.flatMap(({ pointer, part, more }) =>
    nestFindings([...(part?.findings ?? []), ...more], pointer),
  );
  const others = Object.entries(given).filter(([member]) => !known.has(member));
  const unrecognized = [
    ...others.map(([member, value]) => [`/${member}`, value] as const),
    ...parts.flatMap(({ pointer, part }) =>
      Object.entries(part?.unrecognizedProperties ?? {}).map(
        ([path, value]) => [`${pointer}${path}`, value] as const,
      ),
    ),
  ];
  return {
    tableName: name,
    schema: schema === undefined ? null : completeTableSchema(schema.schema),
    offline: offline === undefined ? null : completeTableConfig(offline.config),
    realtime: realtime === undefined ? null : completeTableConfig(realtime.config),
    ...verdictOf(
      [...findings, ...missing(schema, offline, realtime)],
      Object.fromEntries(unrecognized),
    ),
  };
}

const known = new Set(['tableName', 'schema', 'offline', 'realtime']);

function missing(schema: unknown, offline: unknown, realtime: unknown): readonly Finding[] {
  const finding = (path: string, message: string): Finding => ({
    path,
    code: 'MISSING_PART',
    severity: 'error',
    message,
  });
  return [
    ...(schema === undefined ? [finding('/schema', 'The schema is missing.')] : []),
    ...(offline === undefined && realtime === undefined
      ? [
          finding(
            '',
            'Both the offline and the real-time config are missing; at least one is required.',
          ),
        ]
      : []),
  ];
}

function verdictOf(
  findings: readonly Finding[],
  unrecognizedProperties: Verdict['unrecognizedProperties'],
): Verdict {
  const valid = findings.every(({ severity }) => severity !== 'error');
  return { valid, findings: sortFindings(findings), unrecognizedProperties };
}
