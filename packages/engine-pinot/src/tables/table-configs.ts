import { type CallOptions, QuireError } from '@quire/core';
import {
  type Finding,
  parseTableName,
  type TableConfigDocument,
  type TableCreated,
  type TableDescription,
  type TableSchemaDocument,
  type TableSummary,
  type TableType,
  type Tenants,
} from '@quire/core/table-engine';
import { type AdminCalls, becauseOfOthers, type Json, objectIn, textIn } from './admin-calls.ts';

/** Splits a name with type. @throws TABLE_NOT_FOUND for a name without a type */
export function typedName(tableNameWithType: string): {
  readonly rawName: string;
  readonly type: TableType;
} {
  const { rawName, type } = parseTableName(tableNameWithType);
  if (type !== undefined) return { rawName, type };
  throw new QuireError(
    'TABLE_NOT_FOUND',
    `There is no table '${tableNameWithType}': a name ends with _OFFLINE or _REALTIME.`,
  );
}

function tableNotFound(tableNameWithType: string): QuireError {
  return new QuireError('TABLE_NOT_FOUND', `There is no table '${tableNameWithType}'.`);
}

export async function listTables(
  calls: AdminCalls,
  options: CallOptions,
): Promise<readonly TableSummary[]> {
  const lists = await Promise.all(
    (['OFFLINE', 'REALTIME'] as const).map(async (type) => {
      const path = '/tables';
      const answer = await calls.object(
        { method: 'GET', path, parameters: { type: type.toLowerCase() }, errors: {} },
        options,
      );
      const names = Array.isArray(answer['tables']) ? answer['tables'].map(String) : [];
      return names.map((tableNameWithType): TableSummary => ({
        tableNameWithType,
        type,
        isReadOnly: false,
      }));
    }),
  );
  return lists
    .flat()
    .toSorted((left, right) => (left.tableNameWithType < right.tableNameWithType ? -1 : 1));
}

export async function readConfig(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<TableConfigDocument> {
  const { rawName, type } = typedName(tableNameWithType);
  const path = `/tables/${encodeURIComponent(rawName)}`;
  const errors = { 404: 'TABLE_NOT_FOUND' } as const;
  const answer = await calls.object(
    { method: 'GET', path, parameters: { type: type.toLowerCase() }, errors },
    options,
  );
  const config = objectIn(answer, type);
  if (textIn(config, 'tableName') === '') throw tableNotFound(tableNameWithType);
  return config as TableConfigDocument;
}

export async function readTable(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<TableDescription> {
  const { rawName, type } = typedName(tableNameWithType);
  const config = await readConfig(calls, tableNameWithType, options);
  const schema = await readSchema(calls, rawName, options);
  return { tableNameWithType, type, isReadOnly: false, config, schema, findings: [] };
}

export async function readSchema(
  calls: AdminCalls,
  schemaName: string,
  options: CallOptions,
): Promise<TableSchemaDocument> {
  const path = `/schemas/${encodeURIComponent(schemaName)}`;
  return (await calls.object(
    { method: 'GET', path, errors: { 404: 'SCHEMA_NOT_FOUND' } },
    options,
  )) as TableSchemaDocument;
}

export async function createTable(
  calls: AdminCalls,
  given: TableConfigDocument,
  options: CallOptions,
): Promise<TableCreated> {
  const config = completeTableConfig(given);
  const { rawName } = parseTableName(config.tableName);
  await readSchema(calls, rawName, options);
  await assertTenants(calls, config, options);
  const errors = { 400: 'TABLE_INVALID', 409: 'TABLE_EXISTS' } as const;
  // The controller writes the brokers of a table last.
  const completion = {
    method: 'POST',
    path: `/tables/${encodeURIComponent(config.tableName)}/rebuildBrokerResourceFromHelixTags`,
    errors: {},
    abandonedMessage: `Apache Pinot created ${config.tableName}, but assigned no broker to it, ${becauseOfOthers}: delete it, and create it again.`,
  } as const;
  const answer = await calls.object(
    { method: 'POST', path: '/tables', body: config, errors, completion },
    options,
  );
  return { tableNameWithType: config.tableName, findings: findingsOf(answer) };
}

export async function updateTable(
  calls: AdminCalls,
  given: TableConfigDocument,
  options: CallOptions,
): Promise<TableCreated> {
  const config = completeTableConfig(given);
  await readConfig(calls, config.tableName, options);
  await assertTenants(calls, config, options);
  const path = `/tables/${encodeURIComponent(config.tableName)}`;
  const errors = { 400: 'TABLE_INVALID', 404: 'TABLE_NOT_FOUND' } as const;
  const answer = await calls.object({ method: 'PUT', path, body: config, errors }, options);
  return { tableNameWithType: config.tableName, findings: findingsOf(answer) };
}

/**
 * Deletes a table that exists. Apache Pinot accepts the deletion of any name. For a missing table
 * it makes an empty change to its list of tables by broker. If it commits that together with
 * changes of other tables, those fail after half a minute, or are lost.
 */
export async function deleteTable(
  calls: AdminCalls,
  tableNameWithType: string,
  options: CallOptions,
): Promise<void> {
  const { rawName, type } = typedName(tableNameWithType);
  await readConfig(calls, tableNameWithType, options);
  const path = `/tables/${encodeURIComponent(rawName)}`;
  const call = {
    method: 'DELETE',
    path,
    parameters: { type: type.toLowerCase() },
    errors: { 404: 'TABLE_NOT_FOUND' },
  } as const;
  await calls.call({ ...call, completion: call }, options);
}

export async function readTenants(calls: AdminCalls, options: CallOptions): Promise<Tenants> {
  const answer = await calls.object({ method: 'GET', path: '/tenants', errors: {} }, options);
  const namesOf = (member: string): readonly string[] => {
    const names = answer[member];
    return Array.isArray(names) ? names.map(String).toSorted() : [];
  };
  return { brokerTenants: namesOf('BROKER_TENANTS'), serverTenants: namesOf('SERVER_TENANTS') };
}

/**
 * Returns the config with the members that Apache Pinot requires, which may be empty, and with the
 * suffix of its type.
 *
 * @throws TABLE_INVALID for a type other than OFFLINE and REALTIME
 */
export function completeTableConfig(config: TableConfigDocument): TableConfigDocument {
  const { rawName, type } = parseTableName(config.tableName);
  const tableType = type ?? textIn(config, 'tableType');
  if (tableType !== 'OFFLINE' && tableType !== 'REALTIME') {
    const message = `tableType of '${config.tableName}' is '${tableType}'; expected OFFLINE or REALTIME.`;
    const findings: Finding[] = [
      { path: '/tableType', code: 'TABLE_TYPE', message, severity: 'error' },
    ];
    throw new QuireError('TABLE_INVALID', message, { findings });
  }
  const segmentsConfig = { replication: '1', ...objectIn(config, 'segmentsConfig') };
  return {
    tenants: {},
    tableIndexConfig: {},
    metadata: {},
    ...config,
    segmentsConfig,
    tableName: `${rawName}_${tableType}`,
    tableType,
  };
}

/**
 * Checks the tenants of a table. Apache Pinot would create a table on a missing tenant, and no
 * server would serve its rows.
 */
export async function assertTenants(
  calls: AdminCalls,
  config: TableConfigDocument,
  options: CallOptions,
): Promise<void> {
  const tenants = objectIn(config, 'tenants');
  const { brokerTenants, serverTenants } = await readTenants(calls, options);
  for (const [kind, known] of [
    ['broker', brokerTenants],
    ['server', serverTenants],
  ] as const) {
    const name = textIn(tenants, kind);
    if (name === '' || known.includes(name)) continue;
    const message = `${config.tableName} names the ${kind} tenant '${name}'; the cluster has ${known.join(', ')}.`;
    throw new QuireError('TENANT_NOT_FOUND', message);
  }
}

function findingsOf(answer: Json): readonly Finding[] {
  return Object.keys(objectIn(answer, 'unrecognizedProperties')).map((path) => ({
    path: path.startsWith('/') ? path : `/${path}`,
    code: 'UNKNOWN_MEMBER',
    message: `Apache Pinot does not support ${path} and ignores it.`,
    severity: 'warning',
  }));
}
