import { QuireError } from '@quire/core';
import {
  type Finding,
  parseTableName,
  type TableConfigDocument,
  type TableSchemaDocument,
} from '@quire/core/table-engine';
import {
  assertNoErrors,
  type DocumentContext,
  findingsOfSchema,
  findingsOfTable,
  parseTableConfig,
} from '@quire/tables';
import { streamFindings } from './consumption/stream-settings.ts';
import { effectFindings } from './effect-findings.ts';

/** The dependencies of the validation of a table config. */
export interface TableSetting extends DocumentContext {
  readonly tenants: readonly string[];
}

/**
 * Checks a schema by all rules.
 *
 * @throws TABLE_INVALID with all findings when one of them is an error
 */
export function checkSchema(document: TableSchemaDocument): readonly Finding[] {
  const nameless = namePattern.test(document.schemaName)
    ? []
    : [badName('/schemaName', document.schemaName)];
  return assertNoErrors(`Schema ${document.schemaName}`, [
    ...nameless,
    ...findingsOfSchema(document),
  ]);
}

/**
 * Checks a table config on its own and against the schema, tenants and task types that it refers
 * to.
 *
 * @throws TENANT_NOT_FOUND when it names a tenant that does not exist
 * @throws TABLE_INVALID with all findings when one of them is an error
 */
export function checkTable(
  document: TableConfigDocument,
  setting: TableSetting,
): readonly Finding[] {
  const { config } = parseTableConfig(document);
  const { rawName } = parseTableName(document.tableName);
  for (const member of ['broker', 'server'] as const) {
    const tenant = config.tenants?.[member];
    if (tenant === undefined || setting.tenants.includes(tenant)) continue;
    const message = `Tenant ${tenant.slice(0, 100)} (/tenants/${member}) does not exist: expected one of ${setting.tenants.join(', ')}.`;
    throw new QuireError('TENANT_NOT_FOUND', message);
  }
  return assertNoErrors(`Table ${document.tableName}`, [
    // A table named like the half of another one would be shadowed by it.
    ...(namePattern.test(rawName) && parseTableName(rawName).type === undefined
      ? []
      : [badName('/tableName', rawName)]),
    ...findingsOfTable(document, setting),
    ...streamFindings(document),
    ...effectFindings(config),
  ]);
}

/**
 * Matches valid names of tables and schemas, which are used as file names and as SQL table names.
 */
const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,119}$/;

function badName(path: string, name: string): Finding {
  const message = `${JSON.stringify(name.slice(0, 200))}: expected 1 to 120 letters, digits and _, not starting with a digit and not ending in _OFFLINE or _REALTIME.`;
  return { path, code: 'TABLE_NAME', severity: 'error', message };
}
