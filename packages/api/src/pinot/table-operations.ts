import { Type } from 'typebox';
import { errorResponses, type Operation, responseOf } from '../operation.ts';
import { refer } from '../reference.ts';
import { pinotPatterns } from './pinot-paths.ts';
import { PinotBroker, PinotTableBrokers, PinotTableList, PinotTableSchema } from './table-list.ts';

const tags = ['pinot'];

const listTables: Operation = {
  method: 'GET',
  path: pinotPatterns.tables,
  schema: {
    operationId: 'listTables',
    summary: 'List the tables',
    description: 'The tables that queries may read.',
    tags,
    response: { 200: responseOf('The tables.', 'application/json', refer(PinotTableList)), ...errorResponses() },
  },
};

const readTableSchema: Operation = {
  method: 'GET',
  path: pinotPatterns.tableSchema,
  schema: {
    operationId: 'readTableSchema',
    summary: 'Read the columns of a table',
    description: 'As Apache Pinot describes them. The suffixes _OFFLINE and _REALTIME of the name do not count.',
    tags,
    params: Type.Object({ tableName: Type.String({ description: 'Name of the table.' }) }),
    response: {
      200: responseOf('The columns.', 'application/json', refer(PinotTableSchema)),
      ...errorResponses('TABLE_NOT_FOUND', 'BROKER_UNAVAILABLE'),
    },
  },
};

/** The calls about tables that Apache Pinot's clients make, to a broker as well as to a controller. */
export const tableOperations = { listTables, readTableSchema } as const;

const brokersOf = (operationId: string, path: string, summary: string): Operation => ({
  method: 'GET',
  path,
  schema: {
    operationId,
    summary,
    description: 'Brokers that do not answer are left out.',
    tags,
    response: {
      200: responseOf('Tables and their brokers.', 'application/json', refer(PinotTableBrokers)),
      ...errorResponses(),
    },
  },
});

const listTenantBrokers: Operation = {
  method: 'GET',
  path: pinotPatterns.tenantBrokers,
  schema: {
    operationId: 'listTenantBrokers',
    summary: 'Find the brokers of a tenant',
    description: 'There is one tenant, whatever it is called: all brokers that answer.',
    tags,
    params: Type.Object({ tenantName: Type.String({ description: 'Any name.' }) }),
    response: {
      200: responseOf('The brokers.', 'application/json', { type: 'array', items: refer(PinotBroker) }),
      ...errorResponses(),
    },
  },
};

/** The calls by which Apache Pinot's clients find brokers, at a controller. */
export const discoveryOperations = {
  listLiveBrokers: brokersOf('listLiveBrokers', pinotPatterns.liveBrokers, 'Find the brokers of each table'),
  listTableBrokers: brokersOf(
    'listTableBrokers',
    pinotPatterns.tableBrokers,
    'Find the brokers of each table, as newer clients do',
  ),
  listTenantBrokers,
} as const;
