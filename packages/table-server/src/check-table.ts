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

/** What a table config is checked against. */
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
 * Checks a table config, by itself and with all that it belongs to.
 *
 * @throws TENANT_NOT_FOUND when it names one that is not there
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
    // Under the name of a half another table is queried.
    ...(namePattern.test(rawName) && parseTableName(rawName).type === undefined
      ? []
      : [badName('/tableName', rawName)]),
    ...findingsOfTable(document, setting),
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
