import type { JsonValue } from '@quire/core';
import {
  parseTableName,
  type TableConfigDocument,
  type TableDescription,
  type TableSchemaDocument,
} from '@quire/core/table-engine';
import { parseTableSchema } from '@quire/tables';
import type { RestreamConfig } from './restream-job.ts';

/** Marks a table as created by a job, in the member of table configs for custom metadata. */
const jobMark = 'quire.restream.jobId';

/**
 * Returns the config of the destination: that of the source with its own name and tenants, which
 * consumes the stream from the earliest offset.
 *
 * It has the id of the job, so that a job that was killed before it recorded the table still
 * recognizes it.
 */
export function destinationConfigOf(
  source: TableConfigDocument,
  config: RestreamConfig,
  jobId: string,
): TableConfigDocument {
  const { rawName } = parseTableName(config.destTableNameWithType);
  const metadata = objectOf(source['metadata']);
  return {
    ...source,
    ...withMember(source, 'segmentsConfig', (segments) => ({
      ...segments,
      ...('schemaName' in segments && { schemaName: rawName }),
    })),
    ...withMember(source, 'tableIndexConfig', (index) => ({
      ...index,
      ...('streamConfigs' in index && { streamConfigs: fromEarliest(index['streamConfigs']) }),
    })),
    ...withMember(source, 'ingestionConfig', fromEarliestOfIngestion),
    tableName: config.destTableNameWithType,
    tenants: {
      ...objectOf(source['tenants']),
      server: config.destServerTenant,
      broker: config.destBrokerTenant,
    },
    metadata: {
      ...metadata,
      customConfigs: { ...objectOf(metadata['customConfigs']), [jobMark]: jobId },
    },
  };
}

/** Returns the source's schema under the destination's name. */
export function destinationSchemaOf(
  source: TableSchemaDocument,
  config: RestreamConfig,
): TableSchemaDocument {
  return { ...source, schemaName: parseTableName(config.destTableNameWithType).rawName };
}

/** Reports whether a table was created by this job. */
export function isCreatedBy(table: TableDescription, jobId: string): boolean {
  return objectOf(objectOf(table.config['metadata'])['customConfigs'])[jobMark] === jobId;
}

/** Returns the tenants of a table, from its config. */
export function tenantsOf(config: TableConfigDocument): {
  readonly server: string;
  readonly broker: string;
} {
  const { server, broker } = objectOf(config['tenants']);
  return {
    server: typeof server === 'string' ? server : 'DefaultTenant',
    broker: typeof broker === 'string' ? broker : 'DefaultTenant',
  };
}

/**
 * Reports whether two schemas have the same columns, with nulls in the same ones, whatever the
 * names of the schemas.
 */
export function isSameSchema(one: TableSchemaDocument, other: TableSchemaDocument): boolean {
  return (
    canonical(columnsOf(one)) === canonical(columnsOf(other)) &&
    hasNullsByColumn(one) === hasNullsByColumn(other)
  );
}

/**
 * Reports whether the columns of a schema decide if missing values are null. Otherwise the config
 * of the table does, which by default replaces them.
 */
function hasNullsByColumn(schema: TableSchemaDocument): boolean {
  return parseTableSchema(schema).schema.enableColumnBasedNullHandling === true;
}

const columnMembers = [
  'dimensionFieldSpecs',
  'metricFieldSpecs',
  'dateTimeFieldSpecs',
  'timeFieldSpec',
  'complexFieldSpecs',
  'primaryKeyColumns',
];

function columnsOf(schema: TableSchemaDocument): JsonValue {
  return Object.fromEntries(columnMembers.map((member) => [member, schema[member] ?? null]));
}

/**
 * Returns the same text for the same value, whatever the order of its members; null members count
 * as absent.
 */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_name, each: unknown) => {
    if (typeof each === 'bigint') return `${each}n`;
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    const members = Object.entries(each).filter(
      ([, member]) => member !== null && !(Array.isArray(member) && member.length === 0),
    );
    return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function fromEarliestOfIngestion(ingestion: Members): Members {
  const stream = objectOf(ingestion['streamIngestionConfig']);
  const maps = stream['streamConfigMaps'];
  if (!Array.isArray(maps)) return ingestion;
  return {
    ...ingestion,
    streamIngestionConfig: {
      ...stream,
      streamConfigMaps: maps.map((each: JsonValue) => fromEarliest(each)),
    },
  };
}

function fromEarliest(streamConfig: JsonValue | undefined): JsonValue {
  const members = objectOf(streamConfig);
  const type = members['streamType'];
  if (typeof type !== 'string') return streamConfig ?? null;
  return { ...members, [`stream.${type}.consumer.prop.auto.offset.reset`]: 'smallest' };
}

type Members = Readonly<Record<string, JsonValue>>;

function withMember(
  config: TableConfigDocument,
  name: string,
  change: (members: Members) => Members,
): Members {
  const value = config[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { [name]: change(value as Members) }
    : {};
}

function objectOf(value: JsonValue | undefined): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : {};
}
