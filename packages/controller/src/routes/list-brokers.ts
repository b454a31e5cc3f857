import { controllerOperations, type Operation, type PinotBroker, type PinotTableBrokers } from '@quire/api';
import { routeOf, signalOf } from '@quire/service';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { askBrokers, listTables } from '../broker-calls.ts';

/** By what kind of table the clients of Apache Pinot know ours: one that is loaded, not streamed. */
const tableSuffix = '_OFFLINE';

/** GET /tables/livebrokers and GET /v2/brokers/tables: which brokers answer, and for which tables. */
export function listTableBrokersRoute(context: ControllerContext, operation: Operation): RouteOptions {
  return routeOf(operation, async (request, reply) => {
    const response: PinotTableBrokers = {};
    for (const { broker, tables } of await liveBrokers(context, request)) {
      for (const table of tables) (response[table + tableSuffix] ??= []).push(broker);
    }
    return reply.header('cache-control', 'no-store').send(response);
  });
}

/** GET /v2/brokers/tenants/{tenantName}: the brokers that answer; there is one tenant. */
export function listTenantBrokersRoute(context: ControllerContext): RouteOptions {
  return routeOf(controllerOperations.listTenantBrokers, async (request, reply) => {
    const brokers = await liveBrokers(context, request);
    return reply.header('cache-control', 'no-store').send(brokers.map(({ broker }) => broker));
  });
}

async function liveBrokers(
  { options, client }: ControllerContext,
  request: FastifyRequest,
): Promise<readonly { readonly broker: PinotBroker; readonly tables: readonly string[] }[]> {
  const outcomes = await askBrokers(options.brokers, (url) => listTables(client, url, signalOf(request)));
  return outcomes.flatMap(({ url, value }) => (value === undefined ? [] : [{ broker: brokerAt(url), tables: value }]));
}

function brokerAt(url: string): PinotBroker {
  const { hostname, port, protocol } = new URL(url);
  const portNumber = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  return { host: hostname, port: portNumber, instanceName: `Broker_${hostname}_${portNumber}` };
}
