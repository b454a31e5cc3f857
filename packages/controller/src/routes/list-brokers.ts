import {
  controllerOperations,
  type PinotBroker,
  type PinotTableInstances,
  type PinotTenant,
} from '@quire/api';
import { QuireError } from '@quire/core';
import { type Instance, parseTableName, type TableType } from '@quire/core/table-engine';
import { queryOf, routeOf, signalOf } from '@quire/service';
import type { FastifyRequest, RouteOptions } from 'fastify';
import { askBrokers, brokerAt, listTables } from '../broker-calls.ts';
import type { ControllerContext } from '../controller-context.ts';
import { instanceKindsOf, parameterOf, pathOf, sendJson, typeOf } from '../tables/table-context.ts';

/**
 * The calls by which clients of Apache Pinot find brokers, in the formats of its controller: tables
 * have their raw names, and names with type only in /tables/livebrokers. By default, only brokers
 * that answer are returned; `state` selects others.
 */
export function brokerRoutes(context: ControllerContext): readonly RouteOptions[] {
  const { listLiveBrokers, listLiveBrokersOfTable, listTableInstances, readTenant } =
    controllerOperations;
  return [
    ...callsOf(context, 'v1'),
    ...callsOf(context, 'v2'),
    routeOf(listLiveBrokers, async (request, reply) => {
      const wanted = wantedTables(request);
      const [{ tables }, typed] = await Promise.all([
        lookAt(context, request),
        typedNames(context, request),
      ]);
      const answer = [...tables].flatMap(([rawName, brokers]) =>
        namesOf(typed, rawName)
          .filter((name) => wanted === undefined || wanted.has(name) || wanted.has(rawName))
          .map((name) => [name, brokers] as const),
      );
      return sendJson(reply, Object.fromEntries(answer));
    }),
    routeOf(listLiveBrokersOfTable, async (request, reply) =>
      sendJson(reply, (await brokersOfTable(context, request, 'ONLINE')).map(nameOf)),
    ),
    routeOf(listTableInstances, async (request, reply) => {
      const { tableName = '' } = pathOf(request);
      const kinds = instanceKindsOf(request);
      const { rawName, type } = parseTableName(tableName);
      const [cluster, typed, instances] = await Promise.all([
        lookAt(context, request),
        typedNames(context, request),
        context.readTables.listInstances({ signal: signalOf(request) }),
      ]);
      const brokers = (cluster.tables.get(rawName) ?? []).map(nameOf);
      const halves = cluster.tables.has(rawName)
        ? namesOf(typed, rawName).map((name) => parseTableName(name).type ?? 'OFFLINE')
        : [];
      const each = (names: readonly string[]) =>
        halves
          .filter((half) => type === undefined || half === type)
          .map((half) => ({ tableType: half.toLowerCase(), instances: [...names] }));
      const answer: PinotTableInstances = {
        tableName,
        brokers: kinds.has('BROKER') ? each(brokers) : [],
        server: kinds.has('SERVER') ? each(serversOf(instances)) : [],
      };
      return sendJson(reply, answer);
    }),
    routeOf(readTenant, async (request, reply) => {
      const { tenantName = '' } = pathOf(request);
      const kinds = instanceKindsOf(request);
      const signal = signalOf(request);
      const { serverTenants, brokerTenants } = await context.readTables.listTenants({ signal });
      if (![...serverTenants, ...brokerTenants].includes(tenantName)) throw noTenant(tenantName);
      const instances = await context.readTables.listInstances({ signal });
      const servers = serversOf(instances.filter(({ tenants }) => tenants.includes(tenantName)));
      const { brokers } = await lookAt(context, request);
      const answer: PinotTenant = {
        ...(kinds.has('SERVER') && { ServerInstances: servers }),
        ...(kinds.has('BROKER') && {
          BrokerInstances: brokerTenants.includes(tenantName) ? brokers.map(nameOf) : [],
        }),
        tenantName,
      };
      return sendJson(reply, answer);
    }),
  ];
}

/**
 * Returns the calls below /brokers, and below /v2/brokers, which show more of a broker than its
 * name.
 */
function callsOf(context: ControllerContext, version: 'v1' | 'v2'): readonly RouteOptions[] {
  const all = controllerOperations;
  const isFirst = version === 'v1';
  const shown = (brokers: readonly PinotBroker[]): readonly unknown[] =>
    isFirst ? brokers.map(nameOf) : brokers;
  const byName = (brokers: Iterable<readonly [string, readonly PinotBroker[]]>): object =>
    Object.fromEntries([...brokers].map(([name, each]) => [name, shown(each)]));
  const tenantsOf = async (
    request: FastifyRequest,
    brokers: readonly PinotBroker[],
  ): Promise<object> => {
    const { brokerTenants } = await context.readTables.listTenants({ signal: signalOf(request) });
    return byName(brokerTenants.map((tenant) => [tenant, brokers] as const));
  };
  return [
    routeOf(isFirst ? all.listBrokers : all.listBrokersV2, async (request, reply) => {
      const { brokers, tables } = await lookAt(context, request, stateOf(request));
      return sendJson(reply, {
        tenants: await tenantsOf(request, brokers),
        tables: byName(tables),
      });
    }),
    routeOf(isFirst ? all.listTenantsBrokers : all.listTenantsBrokersV2, async (request, reply) => {
      const { brokers } = await lookAt(context, request, stateOf(request));
      return sendJson(reply, await tenantsOf(request, brokers));
    }),
    routeOf(isFirst ? all.listTenantBrokers : all.listTenantBrokersV2, async (request, reply) => {
      const state = stateOf(request);
      const { tenantName = '' } = pathOf(request);
      const { brokerTenants } = await context.readTables.listTenants({ signal: signalOf(request) });
      if (!brokerTenants.includes(tenantName)) throw noTenant(tenantName);
      return sendJson(reply, shown((await lookAt(context, request, state)).brokers));
    }),
    routeOf(isFirst ? all.listTablesBrokers : all.listTablesBrokersV2, async (request, reply) =>
      sendJson(reply, byName((await lookAt(context, request, stateOf(request))).tables)),
    ),
    routeOf(isFirst ? all.listTableBrokers : all.listTableBrokersV2, async (request, reply) =>
      sendJson(reply, shown(await brokersOfTable(context, request, stateOf(request)))),
    ),
  ];
}

type BrokerState = 'ONLINE' | 'OFFLINE';

interface ClusterLook {
  /** The brokers in the requested state. */
  readonly brokers: readonly PinotBroker[];
  /** The brokers of each table. A broker that does not answer may have any table. */
  readonly tables: ReadonlyMap<string, readonly PinotBroker[]>;
  readonly isWhole: boolean;
}

async function lookAt(
  { options, client }: ControllerContext,
  request: FastifyRequest,
  state: BrokerState = 'ONLINE',
): Promise<ClusterLook> {
  const outcomes = await askBrokers(options.brokers, (url) =>
    listTables(client, url, signalOf(request)),
  );
  const silent = outcomes
    .filter(({ value }) => value === undefined)
    .map(({ url }) => brokerAt(url));
  const tables = new Map<string, PinotBroker[]>();
  for (const { url, value } of outcomes) {
    for (const table of value?.tables ?? []) {
      const brokers = tables.get(table) ?? (state === 'ONLINE' ? [] : silent);
      if (state === 'ONLINE') brokers.push(brokerAt(url));
      tables.set(table, brokers);
    }
  }
  const answering = outcomes
    .filter(({ value }) => value !== undefined)
    .map(({ url }) => brokerAt(url));
  return { brokers: state === 'ONLINE' ? answering : silent, tables, isWhole: silent.length === 0 };
}

/** @throws TABLE_NOT_FOUND; BROKER_UNAVAILABLE while a broker that may have it does not answer */
async function brokersOfTable(
  context: ControllerContext,
  request: FastifyRequest,
  state: BrokerState,
): Promise<readonly PinotBroker[]> {
  const { tableName = '' } = pathOf(request);
  const { rawName, type = typeOf(request) } = parseTableName(tableName);
  const { tables, isWhole } = await lookAt(context, request, state);
  const brokers = tables.get(rawName);
  const isThere =
    brokers !== undefined &&
    (type === undefined ||
      namesOf(await typedNames(context, request), rawName).includes(`${rawName}_${type}`));
  if (isThere) return brokers;
  if (!isWhole && brokers === undefined) {
    throw new QuireError('BROKER_UNAVAILABLE', 'A broker that may know the table does not answer.');
  }
  throw new QuireError(
    'TABLE_NOT_FOUND',
    `There is no table '${tableName.slice(0, 200)}'${type === undefined ? '' : ` of type ${type}`}.`,
  );
}

/** Returns the names with type of the known tables, by their raw names. */
async function typedNames(
  { readTables }: ControllerContext,
  request: FastifyRequest,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = (await readTables.listTables({ signal: signalOf(request) })).map(
    ({ tableNameWithType }) => tableNameWithType,
  );
  return Map.groupBy(names, (name) => parseTableName(name).rawName);
}

/** A table that the engine does not have is one that a broker reads from files. */
function namesOf(
  typed: ReadonlyMap<string, readonly string[]>,
  rawName: string,
): readonly string[] {
  return typed.get(rawName) ?? [`${rawName}_${'OFFLINE' satisfies TableType}`];
}

/** @throws INVALID_PARAMETER */
function stateOf(request: FastifyRequest): BrokerState {
  const text = parameterOf(request, 'state');
  const state = text?.toUpperCase() ?? 'ONLINE';
  if (state === 'ONLINE' || state === 'OFFLINE') return state;
  throw new QuireError(
    'INVALID_PARAMETER',
    `state is '${text?.slice(0, 40)}'; expected ONLINE or OFFLINE.`,
  );
}

/** @throws INVALID_PARAMETER for a name that is empty, which no table has */
function wantedTables(request: FastifyRequest): ReadonlySet<string> | undefined {
  const given = queryOf(request)['tables'];
  if (given === undefined) return undefined;
  const names = [given].flat();
  if (names.includes('')) {
    throw new QuireError('INVALID_PARAMETER', 'tables is empty; expected the name of a table.');
  }
  return new Set(names);
}

function noTenant(name: string): QuireError {
  return new QuireError('ROUTE_NOT_FOUND', `There is no tenant '${name.slice(0, 200)}'.`);
}

function serversOf(instances: readonly Instance[]): string[] {
  return instances.filter(({ kind }) => kind === 'SERVER').map(({ instanceName }) => instanceName);
}

const nameOf = ({ instanceName }: PinotBroker): string => instanceName;
