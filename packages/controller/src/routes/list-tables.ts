import { controllerOperations, type FileTable, type PinotTableList } from '@quire/api';
import { isQuireError, QuireError } from '@quire/core';
import { parseTableName, type TableEngine } from '@quire/core/table-engine';
import { principalOf, routeOf, signalOf } from '@quire/service';
import type { FastifyReply, RouteOptions } from 'fastify';
import { askBrokers, listTables, readTableSchema } from '../broker-calls.ts';
import type { ControllerContext } from '../controller-context.ts';
import { halvesOf, sendJson, typeOf } from '../tables/table-context.ts';

/**
 * GET /tables: the tables of all brokers that answer, and those of this controller; with `type`,
 * those of one type by their names with type. Includes the dialect of the caller's queries.
 */
export function listTablesRoute({
  options,
  client,
  tables,
  readTables,
}: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.listTables, async (request, reply) => {
    const signal = signalOf(request);
    const type = typeOf(request);
    const send = (
      names: readonly string[],
      fileTables: readonly FileTable[] = [],
    ): FastifyReply => {
      const dialect = options.dialectOf?.(principalOf(request).name);
      const response: PinotTableList = {
        tables: [...new Set(names)].toSorted(),
        ...(fileTables.length > 0 && {
          // Several brokers may list a table of the same name: one of them is shown.
          fileTables: [...new Map(fileTables.map((each) => [each.tableName, each])).values()],
        }),
        ...(dialect !== undefined && { dialect }),
      };
      return reply.header('cache-control', 'no-store').send(response);
    };
    if (type !== undefined) {
      const typed = await readTables.listTables({ signal });
      return send(
        typed
          .filter((table) => table.type === type)
          .map(({ tableNameWithType }) => tableNameWithType),
      );
    }
    const outcomes = await askBrokers(options.brokers, (url) => listTables(client, url, signal));
    const kept = (await tables?.engine.listTables({ signal })) ?? [];
    return send(
      [
        ...outcomes.flatMap(({ value }) => value?.tables ?? []),
        ...kept.map(({ tableNameWithType }) => parseTableName(tableNameWithType).rawName),
      ],
      outcomes.flatMap(({ value }) => value?.fileTables ?? []),
    );
  });
}

/**
 * GET /tables/{tableName}/schema: of a table of this controller, or otherwise from the first
 * configured broker that answers and has the table.
 */
export function readTableSchemaRoute({ options, client, tables }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.readTableSchema, async (request, reply) => {
    const { tableName } = request.params as { readonly tableName: string };
    const kept = await readStoredSchema(tables?.engine, tableName, signalOf(request));
    if (kept !== undefined) return sendJson(reply, kept);
    const outcomes = await askBrokers(options.brokers, (url) =>
      readTableSchema(client, url, tableName, signalOf(request)),
    );
    const known = outcomes.find(({ value }) => value !== undefined)?.value;
    if (known !== undefined) return reply.header('cache-control', 'no-store').send(known);
    const failure = outcomes.find(({ error }) => error !== undefined)?.error;
    if (failure === undefined) throw new QuireError('TABLE_NOT_FOUND', 'There is no such table.');
    throw new QuireError(
      'BROKER_UNAVAILABLE',
      'A broker that may know the table does not answer.',
      { cause: failure },
    );
  });
}

/** Returns the schema of a table of the engine; undefined if it has no table of this name. */
async function readStoredSchema(
  engine: TableEngine | undefined,
  name: string,
  signal: AbortSignal,
): Promise<object | undefined> {
  if (engine === undefined) return undefined;
  try {
    const [half] = await halvesOf(engine, name, undefined, signal);
    if (half === undefined) return undefined;
    return (await engine.readTable(half.tableNameWithType, { signal })).schema;
  } catch (error) {
    if (isQuireError(error, 'TABLE_NOT_FOUND')) return undefined;
    throw error;
  }
}
