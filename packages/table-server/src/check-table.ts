import { QuireError } from '@quire/core';
import {
  type Finding,
  parseTableName,
  type TableConfigDocument,
  type TableSchemaDocument,
} from '@quire/core/table-engine';
import {
  checkPipeline,
  nestFindings,
  parseTableConfig,
  parseTableSchema,
  sortFindings,
  validateTableConfig,
  validateTableSchema,
} from '@quire/tables';
import type { Clock } from '@quire/core';
import { streamFindings } from './consumption/stream-settings.ts';
import { effectFindings } from './effect-findings.ts';

/** What a table config is checked against. */
export interface TableSetting {
  readonly schema: TableSchemaDocument;
  /** The config of the other half, where there is one. */
  readonly otherConfig: TableConfigDocument | undefined;
  readonly tenants: readonly string[];
  readonly taskTypes: readonly string[];
  readonly clock: Clock;
}

/**
 * Checks a schema by all rules.
 *
 * @throws TABLE_INVALID with all findings when one of them is an error
 */
export function checkSchema(document: TableSchemaDocument): readonly Finding[] {
  const { schema, findings } = parseTableSchema(document);
  const nameless = namePattern.test(document.schemaName)
    ? []
    : [badName('/schemaName', document.schemaName)];
  return unlessInvalid(`Schema ${document.schemaName}`, [
    ...nameless,
    ...findings,
    ...validateTableSchema(schema),
  ]);
}

/**
 * Checks a table config, by itself and with all that it belongs to.
 *
 * @throws TENANT_NOT_FOUND when it names one that is not there
 * @throws TABLE_INVALID with all findings when one of them is an error
 */
export function checkTable(
  document: TableConfigDocument,
  setting: TableSetting,
): readonly Finding[] {
  const { config, findings } = parseTableConfig(document);
  const { schema } = parseTableSchema(setting.schema);
  const { rawName } = parseTableName(document.tableName);
  for (const member of ['broker', 'server'] as const) {
    const tenant = config.tenants?.[member];
    if (tenant === undefined || setting.tenants.includes(tenant)) continue;
    const message = `Tenant ${tenant.slice(0, 100)} (/tenants/${member}) does not exist: expected one of ${setting.tenants.join(', ')}.`;
    throw new QuireError('TENANT_NOT_FOUND', message);
  }
  const context = {
    schema,
    brokerTenants: setting.tenants,
    serverTenants: setting.tenants,
    taskTypes: setting.taskTypes,
    ...(setting.otherConfig !== undefined && {
      otherConfig: parseTableConfig(setting.otherConfig).config,
    }),
  };
  const checked = [...findings, ...validateTableConfig(config, context)];
  const isReported = ({ path }: Finding): boolean =>
    checked.some((each) => each.severity === 'error' && each.path.startsWith(path));
  const planned = checkPipeline({ config, schema, clock: setting.clock }).filter(
    (finding) => !isReported(finding),
  );
  return unlessInvalid(`Table ${document.tableName}`, [
    // Under the name of a half another table is queried.
    ...(namePattern.test(rawName) && parseTableName(rawName).type === undefined
      ? []
      : [badName('/tableName', rawName)]),
    ...checked,
    ...planned,
    ...streamFindings(document),
    ...effectFindings(config),
  ]);
}

/** Names become names of files, and of tables in SQL. */
const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,119}$/;

function badName(path: string, name: string): Finding {
  const message = `${JSON.stringify(name.slice(0, 200))}: expected 1 to 120 letters, digits and _, not starting with a digit nor ending like the name of a half.`;
  return { path, code: 'TABLE_NAME', severity: 'error', message };
}

function unlessInvalid(what: string, found: readonly Finding[]): readonly Finding[] {
  const findings = sortFindings(nestFindings(found, ''));
  const errors = findings.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return findings;
  const more = errors.length === 1 ? '' : ` And ${errors.length - 1} more findings are errors.`;
  throw new QuireError(
    'TABLE_INVALID',
    `${what} is not valid: ${first.path}: ${first.message}${more}`,
    { findings },
  );
}
