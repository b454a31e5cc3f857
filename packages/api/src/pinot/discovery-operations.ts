import type { ErrorCode } from '@quire/core/portable';
import { Type } from '@quire/core/schema';
import type { TSchema } from 'typebox';
import { errorResponses, type Operation, responseOf } from '../operation.ts';
import { refer } from '../reference.ts';
import { pinotPatterns } from './pinot-paths.ts';
import {
  PinotBroker,
  PinotBrokerNamesByName,
  PinotBrokersByName,
  PinotTableInstances,
  PinotTableList,
  PinotTenant,
} from './table-list.ts';

const state = Type.Optional(
  Type.String({
    description:
      'ONLINE: the brokers that answer. OFFLINE: the brokers that do not. Absent: the brokers that answer.',
    examples: ['ONLINE'],
  }),
);
const type = Type.Optional(
  Type.String({
    description: 'OFFLINE or REALTIME: only that half of a table.',
    examples: ['OFFLINE'],
  }),
);
const names = Type.Array(Type.String());

interface Discovery {
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: Readonly<Record<string, TSchema>>;
  readonly answer: object;
  readonly errors?: readonly ErrorCode[];
}

function discovery(operationId: string, call: Discovery): Operation {
  const { path, summary, description = `${summary}.`, query, answer, errors = [] } = call;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return {
    method: 'GET',
    path,
    schema: {
      operationId,
      summary,
      description,
      tags: ['pinot'],
      ...(inPath.length > 0 && {
        params: Type.Object(
          Object.fromEntries(
            inPath.map((name) => [
              name,
              Type.String({
                description: name === 'tableName' ? 'Name of the table.' : 'Name of the tenant.',
              }),
            ]),
          ),
        ),
      }),
      ...(query !== undefined && { querystring: Type.Object(query) }),
      response: {
        200: responseOf('The brokers.', 'application/json', answer),
        ...errorResponses(
          ...(query === undefined ? [] : (['INVALID_PARAMETER'] as const)),
          ...errors,
        ),
      },
    },
  };
}

const ofTable = ['TABLE_NOT_FOUND', 'BROKER_UNAVAILABLE', 'ENGINE_UNAVAILABLE'] as const;
const ofTenant = ['ROUTE_NOT_FOUND', 'ENGINE_UNAVAILABLE'] as const;
const brokerList = Type.Array(refer(PinotBroker));

/**
 * Returns the calls under /brokers, which return names of brokers, and those under /v2/brokers,
 * which also return their addresses.
 */
const brokerCalls = (prefix: '' | '/v2', byName: TSchema, list: TSchema) => {
  const suffix = prefix === '' ? '' : 'V2';
  const what = prefix === '' ? 'names of brokers' : 'brokers';
  return {
    listBrokers: discovery(`listBrokers${suffix}`, {
      path: prefix + pinotPatterns.brokers,
      summary: `List the ${what} of each tenant and table`,
      query: { state },
      answer: Type.Object({ tenants: refer(byName), tables: refer(byName) }),
      errors: ['ENGINE_UNAVAILABLE'],
    }),
    listTenantsBrokers: discovery(`listTenantsBrokers${suffix}`, {
      path: prefix + pinotPatterns.tenantsBrokers,
      summary: `List the ${what} of each tenant`,
      description: 'Every broker serves every tenant.',
      query: { state },
      answer: refer(byName),
      errors: ['ENGINE_UNAVAILABLE'],
    }),
    listTenantBrokers: discovery(`listTenantBrokers${suffix}`, {
      path: prefix + pinotPatterns.tenantBrokers,
      summary: `List the ${what} of a tenant`,
      description: 'Every broker serves every tenant.',
      query: { state },
      answer: list,
      errors: ofTenant,
    }),
    listTablesBrokers: discovery(`listTablesBrokers${suffix}`, {
      path: prefix + pinotPatterns.tablesBrokers,
      summary: `List the ${what} of each table`,
      description: 'By table name without type, as queries use it.',
      query: { state },
      answer: refer(byName),
    }),
    listTableBrokers: discovery(`listTableBrokers${suffix}`, {
      path: prefix + pinotPatterns.tableBrokers,
      summary: `List the ${what} of a table`,
      description: 'For a table name with or without type.',
      query: { type, state },
      answer: list,
      errors: ofTable,
    }),
  };
};

const v1 = brokerCalls('', PinotBrokerNamesByName, names);
const v2 = brokerCalls('/v2', PinotBrokersByName, brokerList);

/** The calls with which Apache Pinot's clients find brokers at a controller. */
export const discoveryOperations = {
  ...v1,
  listBrokersV2: v2.listBrokers,
  listTenantsBrokersV2: v2.listTenantsBrokers,
  listTenantBrokersV2: v2.listTenantBrokers,
  listTablesBrokersV2: v2.listTablesBrokers,
  listTableBrokersV2: v2.listTableBrokers,
  listLiveBrokers: discovery('listLiveBrokers', {
    path: pinotPatterns.liveBrokers,
    summary: 'List the brokers that answer for each table',
    description: 'By table name with type, as in Apache Pinot for this call only.',
    query: {
      tables: Type.Optional(
        Type.Array(Type.String(), {
          description: 'Only these tables, each by its name with or without type. May be repeated.',
        }),
      ),
    },
    answer: refer(PinotBrokersByName),
    errors: ['ENGINE_UNAVAILABLE'],
  }),
  listLiveBrokersOfTable: discovery('listLiveBrokersOfTable', {
    path: pinotPatterns.liveBrokersOfTable,
    summary: 'List the names of the brokers that answer and serve a table',
    answer: names,
    errors: ofTable,
  }),
  listTableInstances: discovery('listTableInstances', {
    path: pinotPatterns.tableInstances,
    summary: 'List the brokers and servers of a table',
    description: 'Lists them for each half of the table; a missing half has none.',
    query: {
      type: Type.Optional(
        Type.String({
          description: 'Only instances of this kind: broker or server.',
          examples: ['broker'],
        }),
      ),
    },
    answer: refer(PinotTableInstances),
    errors: ['ENGINE_UNAVAILABLE'],
  }),
  readTenant: discovery('readTenant', {
    path: pinotPatterns.tenant,
    summary: 'List the instances of a tenant',
    query: {
      type: Type.Optional(
        Type.String({
          description: 'Only instances of this kind: broker or server.',
          examples: ['broker'],
        }),
      ),
    },
    answer: refer(PinotTenant),
    errors: ofTenant,
  }),
  /** The broker's call, with an additional parameter. */
  listTables: discovery('listTables', {
    path: pinotPatterns.tables,
    summary: 'List the tables',
    description:
      'The tables that queries may read, by name without type; with type if one is given.',
    query: { type },
    answer: refer(PinotTableList),
    errors: ['ENGINE_UNAVAILABLE'],
  }),
} as const;
