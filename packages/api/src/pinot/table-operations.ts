import { Type } from '@quire/core/schema';
import { errorResponses, type Operation, responseOf } from '../operation.ts';
import { refer } from '../reference.ts';
import { pinotPatterns } from './pinot-paths.ts';
import { PinotTableList, PinotTableSchema } from './table-list.ts';

const tags = ['pinot'];

const listTables: Operation = {
  method: 'GET',
  path: pinotPatterns.tables,
  schema: {
    operationId: 'listTables',
    summary: 'List the tables',
    description: 'The tables that queries may read.',
    tags,
    response: {
      200: responseOf('The tables.', 'application/json', refer(PinotTableList)),
      ...errorResponses(),
    },
  },
};

const readTableSchema: Operation = {
  method: 'GET',
  path: pinotPatterns.tableSchema,
  schema: {
    operationId: 'readTableSchema',
    summary: 'Read the columns of a table',
    description:
      "In Apache Pinot's format. The suffixes _OFFLINE and _REALTIME of the name are ignored.",
    tags,
    params: Type.Object({ tableName: Type.String({ description: 'Name of the table.' }) }),
    response: {
      200: responseOf('The columns.', 'application/json', refer(PinotTableSchema)),
      ...errorResponses('TABLE_NOT_FOUND', 'BROKER_UNAVAILABLE'),
    },
  },
};

/** The calls about tables that Apache Pinot's clients make to brokers and controllers. */
export const tableOperations = { listTables, readTableSchema } as const;
