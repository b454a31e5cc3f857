import { controllerOperations, type PinotTableList } from '@quire/api';
import { parseTableName } from '@quire/core/table-engine';
import { routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { askBrokers, listTables } from '../broker-calls.ts';

/** GET /tables: those of all brokers that answer, and those that this controller keeps. */
export function listTablesRoute({ options, client }: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.listTables, async (request, reply) => {
    const outcomes = await askBrokers(options.brokers, (url) => listTables(client, url, signalOf(request)));
    const kept = await options.tables?.engine.listTables({ signal: signalOf(request) });
    const names = [
      ...outcomes.flatMap(({ value = [] }) => value),
      ...(kept ?? []).map(({ tableNameWithType }) => parseTableName(tableNameWithType).rawName),
    ];
    const response: PinotTableList = { tables: [...new Set(names)].toSorted() };
    return reply.header('cache-control', 'no-store').send(response);
  });
}
