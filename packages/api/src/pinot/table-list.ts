import { type Static, Type } from 'typebox';
import { refer } from '../reference.ts';

/** The tables that queries may read. */
export const PinotTableList = Type.Object(
  { tables: Type.Array(Type.String(), { description: 'Names, in alphabetical order.' }) },
  { $id: 'PinotTableList', description: 'The tables that queries may read.' },
);

const PinotColumn = Type.Object({
  name: Type.String({ description: 'Name of the column.' }),
  dataType: Type.String({ description: 'Type of its values, as in columnDataTypes.' }),
  singleValueField: Type.Boolean({ description: 'false: a cell is an array of such values.' }),
});

const PinotDateTimeColumn = Type.Object({
  name: Type.String({ description: 'Name of the column.' }),
  dataType: Type.String({ description: 'Always TIMESTAMP.' }),
  format: Type.String({ description: 'Always TIMESTAMP.' }),
  granularity: Type.String({ description: 'Always 1:MILLISECONDS.' }),
});

/** The columns of a table, as Apache Pinot describes them. */
export const PinotTableSchema = Type.Object(
  {
    schemaName: Type.String({ description: 'Name of the table.' }),
    dimensionFieldSpecs: Type.Array(PinotColumn, { description: 'The columns that are not times.' }),
    metricFieldSpecs: Type.Array(Type.Unknown(), {
      description: 'Always empty: no column is a metric before a query makes it one.',
    }),
    dateTimeFieldSpecs: Type.Array(PinotDateTimeColumn, { description: 'The columns that are times.' }),
  },
  { $id: 'PinotTableSchema', description: 'The columns of a table.' },
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

/** Tables and the brokers that serve them, by the names of the tables with their type. */
export const PinotTableBrokers = Type.Record(Type.String(), Type.Array(refer(PinotBroker)), {
  $id: 'PinotTableBrokers',
  description: 'The brokers of each table, by its name with the suffix _OFFLINE.',
});

export type PinotTableList = Static<typeof PinotTableList>;
export type PinotTableSchema = Static<typeof PinotTableSchema>;
export type PinotBroker = Static<typeof PinotBroker>;
export type PinotTableBrokers = Static<typeof PinotTableBrokers>;
