import { type CallOptions, isQuireError, QuireError } from '@quire/core';
import { parseTableName, type TableDescription } from '@quire/core/table-engine';
import type { RestreamEngine } from './restream-engine.ts';
import { destinationSchemaOf, isSameSchema, tenantsOf } from './destination.ts';
import type { JobStart, RestreamConfig } from './restream-job.ts';

/** The request of a caller; missing members have defaults. */
export interface RestreamRequest {
  readonly tableNameWithType: string;
  readonly destTableNameWithType: string;
  /** The tenants; by default the source's. */
  readonly destServerTenant?: string | undefined;
  readonly destBrokerTenant?: string | undefined;
  /** False by default. */
  readonly debugPause?: boolean | undefined;
  /** The number of messages per partition; 5,000 by default. */
  readonly maxTableStreamLag?: number | undefined;
  /** In minutes; 120 by default. */
  readonly maxRebalanceTimeMin?: number | undefined;
}

const lagMaxDefault = 5000;
const rebalanceMinutesDefault = 120;

/**
 * Checks everything that can be checked before anything is created, and collects the facts that the
 * job needs.
 *
 * @throws TABLE_NOT_FOUND when the source does not exist
 * @throws INVALID_PARAMETER when the source or the destination is not the name of a real-time
 *   table, both are the same, or a limit is out of range
 * @throws TABLE_EXISTS when the destination exists
 * @throws SCHEMA_EXISTS when a different schema has the destination's name
 * @throws TENANT_NOT_FOUND
 */
export async function checkStart(
  engine: RestreamEngine,
  request: RestreamRequest,
  jobId: string,
  options: CallOptions,
): Promise<JobStart> {
  assertNames(request);
  const source = await engine.readTable(request.tableNameWithType, options);
  const config = completeConfig(request, source);
  assertLimits(config);
  await assertTenants(engine, config, options);
  await assertAbsent(engine, config.destTableNameWithType, options);
  const makesSchema = await needsSchema(engine, source, config, options);
  return {
    jobId,
    config,
    makesSchema,
    targetOffsets: await readTarget(engine, config.tableNameWithType, options),
  };
}

function assertNames({ tableNameWithType, destTableNameWithType }: RestreamRequest): void {
  assertRealtime('tableName', tableNameWithType);
  assertRealtime('destTableNameWithType', destTableNameWithType);
  if (tableNameWithType === destTableNameWithType) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `destTableNameWithType '${destTableNameWithType}' is the source itself; expected the name of a new table.`,
    );
  }
}

function assertRealtime(parameter: string, name: string): void {
  const { rawName, type } = parseTableName(name);
  if (type === 'REALTIME' && /^[A-Za-z0-9_.-]{1,200}$/.test(rawName)) return;
  throw new QuireError(
    'INVALID_PARAMETER',
    `${parameter} '${name.slice(0, 200)}' is not the name of a real-time table; expected 'name_REALTIME'.`,
  );
}

function completeConfig(request: RestreamRequest, source: TableDescription): RestreamConfig {
  const tenants = tenantsOf(source.config);
  return {
    tableNameWithType: request.tableNameWithType,
    destTableNameWithType: request.destTableNameWithType,
    destServerTenant: request.destServerTenant ?? tenants.server,
    destBrokerTenant: request.destBrokerTenant ?? tenants.broker,
    debugPause: request.debugPause ?? false,
    maxTableStreamLag: request.maxTableStreamLag ?? lagMaxDefault,
    maxRebalanceTimeMin: request.maxRebalanceTimeMin ?? rebalanceMinutesDefault,
  };
}

function assertLimits({ maxTableStreamLag, maxRebalanceTimeMin }: RestreamConfig): void {
  if (!Number.isSafeInteger(maxTableStreamLag) || maxTableStreamLag < 0) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `maxTableStreamLag ${maxTableStreamLag} is out of range; expected an integer of at least 0.`,
    );
  }
  if (!Number.isSafeInteger(maxRebalanceTimeMin) || maxRebalanceTimeMin < 1) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `maxRebalanceTimeMin ${maxRebalanceTimeMin} is out of range; expected an integer of at least 1.`,
    );
  }
}

async function assertTenants(
  engine: RestreamEngine,
  config: RestreamConfig,
  options: CallOptions,
): Promise<void> {
  const { serverTenants, brokerTenants } = await engine.listTenants(options);
  const check = (parameter: string, name: string, known: readonly string[]): void => {
    if (known.includes(name)) return;
    throw new QuireError(
      'TENANT_NOT_FOUND',
      `${parameter} '${name.slice(0, 200)}' does not exist; expected one of ${known.join(', ')}.`,
    );
  };
  check('destServerTenant', config.destServerTenant, serverTenants);
  check('destBrokerTenant', config.destBrokerTenant, brokerTenants);
}

async function assertAbsent(
  engine: RestreamEngine,
  tableNameWithType: string,
  options: CallOptions,
): Promise<void> {
  try {
    await engine.readTable(tableNameWithType, options);
  } catch (error) {
    if (isQuireError(error, 'TABLE_NOT_FOUND')) return;
    throw error;
  }
  throw new QuireError(
    'TABLE_EXISTS',
    `The destination table ${tableNameWithType} exists already; expected the name of a new table.`,
  );
}

/**
 * Reports whether the destination's schema must be created; an existing one with the same columns
 * and null handling is used.
 */
async function needsSchema(
  engine: RestreamEngine,
  source: TableDescription,
  config: RestreamConfig,
  options: CallOptions,
): Promise<boolean> {
  const wanted = destinationSchemaOf(source.schema, config);
  try {
    const existing = await engine.readSchema(wanted.schemaName, options);
    if (isSameSchema(existing, wanted)) return false;
  } catch (error) {
    if (isQuireError(error, 'SCHEMA_NOT_FOUND')) return true;
    throw error;
  }
  throw new QuireError(
    'SCHEMA_EXISTS',
    `A schema '${wanted.schemaName}' exists already, with other columns or another enableColumnBasedNullHandling than that of the source.`,
  );
}

/**
 * Returns the latest offsets of the source's stream; null while the engine does not know them.
 * @throws INVALID_PARAMETER without a stream
 */
async function readTarget(
  engine: RestreamEngine,
  tableNameWithType: string,
  options: CallOptions,
): Promise<Readonly<Record<string, number>> | null> {
  const { isReady, partitions } = await engine.readConsumption(tableNameWithType, options);
  if (!isReady || partitions.length === 0) return null;
  const offsets: Record<string, number> = {};
  for (const { partition, latestOffset } of partitions) {
    if (latestOffset === null) return null;
    offsets[String(partition)] = latestOffset;
  }
  return offsets;
}
