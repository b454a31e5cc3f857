import { tableOperations } from '@quire/api';
import { QuireError } from '@quire/core';
import { routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import { askBrokers } from '../ask-brokers.ts';
import type { ControllerContext } from '../controller-context.ts';
import { readTableSchema } from '../table-calls.ts';

/** GET /tables/{tableName}/schema: as the first broker of the settings has it that answers and knows the table. */
export function readTableSchemaRoute({ options, client }: ControllerContext): RouteOptions {
  return routeOf(tableOperations.readTableSchema, async (request, reply) => {
    const { tableName } = request.params as { readonly tableName: string };
    const outcomes = await askBrokers(options.brokers, (url) => readTableSchema(client, url, tableName, signalOf(request)));
    const known = outcomes.find(({ value }) => value !== undefined)?.value;
    if (known !== undefined) return reply.header('cache-control', 'no-store').send(known);
    const failure = outcomes.find(({ error }) => error !== undefined)?.error;
    if (failure === undefined) throw new QuireError('TABLE_NOT_FOUND', 'There is no such table.');
    throw new QuireError('BROKER_UNAVAILABLE', 'A broker that may know the table does not answer.', { cause: failure });
  });
}
