import { type SqlDialect, sqlDialects } from '@quire/core/portable';
import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { refer } from '../reference.ts';

/** A table over files that the settings name. */
export const FileTable = Type.Object(
  {
    tableName: Type.String({ description: 'Name of the table.' }),
    numRows: Type.Integer({
      minimum: 0,
      description: 'Number of rows, counted when the broker started.',
    }),
    sizeInBytes: Type.Integer({ minimum: 0, description: 'Total size of the files, in bytes.' }),
    numFiles: Type.Integer({ minimum: 0, description: 'Number of files.' }),
  },
  { description: 'A table over files that the settings name.' },
);
export type FileTable = Static<typeof FileTable>;

/** The tables that queries may read. */
export const PinotTableList = Type.Object(
  {
    tables: Type.Array(Type.String(), {
      description: 'Names of the tables, in alphabetical order.',
    }),
    fileTables: Type.Optional(
      Type.Array(FileTable, {
        description: 'The tables over files that the settings name.',
      }),
    ),
    dialect: Type.Optional(
      Type.Unsafe<SqlDialect>({
        type: 'string',
        enum: sqlDialects,
        description:
          "The default language of the caller's queries, by the settings of the service that answers. Absent if a plug-in engine has its own.",
      }),
    ),
  },
  { $id: 'PinotTableList', description: 'The tables that queries may read.' },
);

const PinotColumn = Type.Object({
  name: Type.String({ description: 'Name of the column.' }),
  dataType: Type.String({ description: 'Type of the values, as in columnDataTypes.' }),
  singleValueField: Type.Optional(
    Type.Boolean({ description: 'false: a cell is an array of such values.' }),
  ),
});

const PinotDateTimeColumn = Type.Object({
  name: Type.String({ description: 'Name of the column.' }),
  dataType: Type.String({ description: 'Type of the values. TIMESTAMP at a broker.' }),
  format: Type.String({ description: 'Format of the time values. TIMESTAMP at a broker.' }),
  granularity: Type.String({
    description: 'Granularity of the times. 1:MILLISECONDS at a broker.',
  }),
});

/** The columns of a table in Apache Pinot's format. */
export const PinotTableSchema = Type.Object(
  {
    schemaName: Type.String({ description: 'Name of the table.' }),
    dimensionFieldSpecs: Type.Optional(
      Type.Array(PinotColumn, { description: 'The columns that are neither times nor metrics.' }),
    ),
    metricFieldSpecs: Type.Optional(
      Type.Array(PinotColumn, {
        description: 'The metric columns. A table of a broker has none.',
      }),
    ),
    dateTimeFieldSpecs: Type.Optional(
      Type.Array(PinotDateTimeColumn, { description: 'The time columns.' }),
    ),
  },
  {
    $id: 'PinotTableSchema',
    description:
      'The columns of a table. For a table that was created, its schema as given; empty lists of columns may be absent.',
  },
);

/** A broker in the discovery calls of Apache Pinot's clients. */
export const PinotBroker = Type.Object(
  {
    host: Type.String({ description: 'Host of the broker.' }),
    port: Type.Integer({ description: 'Port of the broker.' }),
    instanceName: Type.String({ description: 'Broker_<host>_<port>.' }),
  },
  { $id: 'PinotBroker', description: 'Address of a broker.' },
);

/** Brokers by the table or tenant that they serve. */
export const PinotBrokersByName = Type.Record(Type.String(), Type.Array(refer(PinotBroker)), {
  $id: 'PinotBrokersByName',
  description: 'The brokers of each table or tenant, by its name.',
});

/** Names of brokers, by the table or tenant that they serve. */
export const PinotBrokerNamesByName = Type.Record(Type.String(), Type.Array(Type.String()), {
  $id: 'PinotBrokerNamesByName',
  description: 'The names of the brokers of each table or tenant, by its name.',
});

const InstancesOfHalf = Type.Object({
  tableType: Type.String({ description: 'offline or realtime.' }),
  instances: Type.Array(Type.String(), { description: 'Names of instances.' }),
});

/** The brokers and servers of a table. */
export const PinotTableInstances = Type.Object(
  {
    tableName: Type.String({ description: 'The name as given.' }),
    brokers: Type.Array(InstancesOfHalf, { description: 'The brokers of each half of the table.' }),
    server: Type.Array(InstancesOfHalf, { description: 'The servers of each half of the table.' }),
  },
  { $id: 'PinotTableInstances', description: 'The brokers and servers of a table.' },
);

/** The instances of a tenant. */
export const PinotTenant = Type.Object(
  {
    tenantName: Type.String({ description: 'The name of the tenant.' }),
    ServerInstances: Type.Optional(
      Type.Array(Type.String(), { description: 'Names of the servers.' }),
    ),
    BrokerInstances: Type.Optional(
      Type.Array(Type.String(), { description: 'Names of the brokers.' }),
    ),
  },
  { $id: 'PinotTenant', description: 'The instances of a tenant.' },
);

export type PinotTableList = Static<typeof PinotTableList>;
export type PinotTableSchema = Static<typeof PinotTableSchema>;
export type PinotBroker = Static<typeof PinotBroker>;
export type PinotTableInstances = Static<typeof PinotTableInstances>;
export type PinotTenant = Static<typeof PinotTenant>;
