import { QuireError } from '@quire/core';
import type { Instance } from '@quire/core/table-engine';
import { type RouteHandler, signalOf } from '@quire/service';
import type { FastifyRequest } from 'fastify';
import { brokerAt } from '../broker-calls.ts';
import type { ControllerContext } from '../controller-context.ts';
import { instanceKindsOf, pathOf, sendJson } from './table-context.ts';

/** Handlers of the calls about the cluster: tenants, instances, the version. */
export function clusterHandlers({ options, readTables }: ControllerContext) {
  /** Lists the instances of the engine, and the brokers of the controller. */
  const listInstances = async (request: FastifyRequest): Promise<readonly Instance[]> => {
    const signal = signalOf(request);
    const [kept, { brokerTenants }] = await Promise.all([
      readTables.listInstances({ signal }),
      readTables.listTenants({ signal }),
    ]);
    const brokers = options.brokers.map((url): Instance => {
      const { host, port, instanceName } = brokerAt(url);
      return { instanceName, kind: 'BROKER', host, port, tenants: brokerTenants, isEnabled: true };
    });
    const names = new Set(kept.map(({ instanceName }) => instanceName));
    return [...kept, ...brokers.filter(({ instanceName }) => !names.has(instanceName))];
  };
  return {
    listTenants: async (request, reply) => {
      const kinds = instanceKindsOf(request);
      const { serverTenants, brokerTenants } = await readTables.listTenants({
        signal: signalOf(request),
      });
      return sendJson(reply, {
        SERVER_TENANTS: kinds.has('SERVER') ? serverTenants : null,
        BROKER_TENANTS: kinds.has('BROKER') ? brokerTenants : null,
      });
    },
    listInstances: async (request, reply) =>
      sendJson(reply, {
        instances: (await listInstances(request)).map(({ instanceName }) => instanceName),
      }),
    readInstance: async (request, reply) => {
      const { instanceName = '' } = pathOf(request);
      const found = (await listInstances(request)).find(
        (each) => each.instanceName === instanceName,
      );
      if (found === undefined) {
        throw new QuireError(
          'ROUTE_NOT_FOUND',
          `There is no instance '${instanceName.slice(0, 200)}'.`,
        );
      }
      const { host, port, isEnabled, tenants, kind } = found;
      return sendJson(reply, {
        instanceName,
        hostName: host,
        port: String(port),
        enabled: isEnabled,
        tags: tenants,
        type: kind,
      });
    },
    readVersion: async (_request, reply) => sendJson(reply, { quire: options.version }),
  } satisfies Readonly<Record<string, RouteHandler>>;
}
