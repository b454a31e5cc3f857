import { type SqlDialect, sqlDialects } from '@quire/core/portable';
import { type Static, Type } from 'typebox';
import { refer } from '../reference.ts';

/** The tables that queries may read. */
export const PinotTableList = Type.Object(
  {
    tables: Type.Array(Type.String(), { description: 'Names, in alphabetical order.' }),
    dialect: Type.Optional(
      Type.Unsafe<SqlDialect>({
        type: 'string',
        enum: sqlDialects,
        description:
          "The language of the caller's queries that do not name theirs, by the settings of the service that answers. Absent where an engine of a plug-in has its own.",
      }),
    ),
  },
  { $id: 'PinotTableList', description: 'The tables that queries may read.' },
);

const PinotColumn = Type.Object({
  name: Type.String({ description: 'Name of the column.' }),
  dataType: Type.String({ description: 'Type of its values, as in columnDataTypes.' }),
  singleValueField: Type.Optional(
    Type.Boolean({ description: 'false: a cell is an array of such values.' }),
  ),
});

const PinotDateTimeColumn = Type.Object({
  name: Type.String({ description: 'Name of the column.' }),
  dataType: Type.String({ description: 'Type of its values. TIMESTAMP at a broker.' }),
  format: Type.String({ description: 'How a value is a time. TIMESTAMP at a broker.' }),
  granularity: Type.String({ description: 'How fine times are. 1:MILLISECONDS at a broker.' }),
});

/** The columns of a table, as Apache Pinot describes them. */
export const PinotTableSchema = Type.Object(
  {
    schemaName: Type.String({ description: 'Name of the table.' }),
    dimensionFieldSpecs: Type.Optional(
      Type.Array(PinotColumn, { description: 'The columns that are neither times nor metrics.' }),
    ),
    metricFieldSpecs: Type.Optional(
      Type.Array(PinotColumn, {
        description:
          'The columns that are metrics. A table of a broker has none: no column is one before a query makes it one.',
      }),
    ),
    dateTimeFieldSpecs: Type.Optional(
      Type.Array(PinotDateTimeColumn, { description: 'The columns that are times.' }),
    ),
  },
  {
    $id: 'PinotTableSchema',
    description:
      'The columns of a table. A table that was created has the schema that it was created with; lists without columns may be absent.',
  },
);

/** A broker as the discovery calls of Apache Pinot's clients show it. */
export const PinotBroker = Type.Object(
  {
    host: Type.String({ description: 'Where the broker is.' }),
    port: Type.Integer({ description: 'Its port.' }),
    instanceName: Type.String({ description: 'Broker_<host>_<port>.' }),
  },
  { $id: 'PinotBroker', description: 'Where a broker is.' },
);

/** Brokers by the name of what they serve: a table or a tenant. */
export const PinotBrokersByName = Type.Record(Type.String(), Type.Array(refer(PinotBroker)), {
  $id: 'PinotBrokersByName',
  description: 'The brokers of each table or tenant, by its name.',
});

/** The names of brokers, by the name of what they serve: a table or a tenant. */
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
    tableName: Type.String({ description: 'The name, as it was asked for.' }),
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
      Type.Array(Type.String(), { description: 'Names of its servers.' }),
    ),
    BrokerInstances: Type.Optional(
      Type.Array(Type.String(), { description: 'Names of its brokers.' }),
    ),
  },
  { $id: 'PinotTenant', description: 'The instances of a tenant.' },
);

export type PinotTableList = Static<typeof PinotTableList>;
export type PinotTableSchema = Static<typeof PinotTableSchema>;
export type PinotBroker = Static<typeof PinotBroker>;
export type PinotTableInstances = Static<typeof PinotTableInstances>;
export type PinotTenant = Static<typeof PinotTenant>;
