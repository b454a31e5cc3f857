import { brokerOperations, type PinotTableList, type PinotTableSchema } from '@quire/api';
import { QuireError } from '@quire/core';
import { columnDataTypes, type Result } from '@quire/results';
import { principalOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { columnsQueryOf, describeInTurn } from '../describe-query.ts';

/**
 * GET /tables/{tableName}/schema: determined with a query for no rows, which waits for its turn
 * like any other.
 */
export function readTableSchemaRoute(context: BrokerContext): RouteOptions {
  const { options } = context;
  return routeOf(brokerOperations.readTableSchema, async (request, reply) => {
    const asked = (request.params as { readonly tableName: string }).tableName.replace(
      /_(?:OFFLINE|REALTIME)$/,
      '',
    );
    const names = (await options.listTables?.()) ?? [];
    const tableName = names.find((name) => name === asked);
    if (tableName === undefined) {
      throw new QuireError('TABLE_NOT_FOUND', 'The table does not exist.');
    }
    const { schema } = await describeInTurn(context, principalOf(request), {
      query: columnsQueryOf(tableName),
      signal: signalOf(request),
    });
    return reply.header('cache-control', 'no-store').send(pinotSchemaOf(tableName, schema));
  });
}

const arraySuffix = '_ARRAY';

/**
 * Returns the columns of a table in Apache Pinot's format: times separately, arrays as multi-value
 * columns.
 */
export function pinotSchemaOf(tableName: string, schema: Result['schema']): PinotTableSchema {
  const columns = columnDataTypes(schema).map((dataType, index) => ({
    name: schema.fields[index]?.name ?? '',
    dataType,
  }));
  const times = columns.filter(({ dataType }) => dataType === 'TIMESTAMP');
  return {
    schemaName: tableName,
    dimensionFieldSpecs: columns
      .filter((column) => !times.includes(column))
      .map(({ name, dataType }) => {
        const isArray = dataType.endsWith(arraySuffix);
        return {
          name,
          dataType: isArray ? dataType.slice(0, -arraySuffix.length) : dataType,
          singleValueField: !isArray,
        };
      }),
    metricFieldSpecs: [],
    dateTimeFieldSpecs: times.map(({ name }) => ({
      name,
      dataType: 'TIMESTAMP',
      format: 'TIMESTAMP',
      granularity: '1:MILLISECONDS',
    })),
  };
}

/** GET /tables. */
export function listTablesRoute({ options }: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.listTables, async (request, reply) => {
    const names = (await options.listTables?.()) ?? [];
    const fileTables = await options.listFileTables?.();
    const dialect = options.dialects?.defaultOf(principalOf(request).name);
    const response: PinotTableList = {
      tables: names.toSorted(),
      ...(fileTables !== undefined && {
        fileTables: fileTables.map(({ tableName, rowCount, sizeBytes, fileCount }) => ({
          tableName,
          numRows: rowCount,
          sizeInBytes: sizeBytes,
          numFiles: fileCount,
        })),
      }),
      ...(dialect !== undefined && { dialect }),
    };
    return reply.header('cache-control', 'no-store').send(response);
  });
}
