import type { ErrorCode } from '@quire/core/portable';
import { type TSchema, Type } from 'typebox';
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
      'ONLINE: the brokers that answer. OFFLINE: those that do not. Absent: those that answer.',
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
        200: responseOf('They are.', 'application/json', answer),
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
 * The calls under /brokers, which give names of brokers, and those under /v2/brokers, which give
 * their addresses too.
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
      description: 'By the names of tables without type, as queries name them.',
      query: { state },
      answer: refer(byName),
    }),
    listTableBrokers: discovery(`listTableBrokers${suffix}`, {
      path: prefix + pinotPatterns.tableBrokers,
      summary: `List the ${what} of a table`,
      description: 'Of a table by its name, with or without type.',
      query: { type, state },
      answer: list,
      errors: ofTable,
    }),
  };
};

const v1 = brokerCalls('', PinotBrokerNamesByName, names);
const v2 = brokerCalls('/v2', PinotBrokersByName, brokerList);

/** The calls by which Apache Pinot's clients find brokers, at a controller. */
export const discoveryOperations = {
  ...v1,
  listBrokersV2: v2.listBrokers,
  listTenantsBrokersV2: v2.listTenantsBrokers,
  listTenantBrokersV2: v2.listTenantBrokers,
  listTablesBrokersV2: v2.listTablesBrokers,
  listTableBrokersV2: v2.listTableBrokers,
  listLiveBrokers: discovery('listLiveBrokers', {
    path: pinotPatterns.liveBrokers,
    summary: 'List the brokers that answer, of each table',
    description: 'By the names of tables with type, as Apache Pinot does here and nowhere else.',
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
    summary: 'List the names of the brokers of a table that answer',
    answer: names,
    errors: ofTable,
  }),
  listTableInstances: discovery('listTableInstances', {
    path: pinotPatterns.tableInstances,
    summary: 'List the brokers and servers of a table',
    description: 'By the halves of the table. One that is not there has none.',
    query: {
      type: Type.Optional(
        Type.String({ description: 'broker or server: only those.', examples: ['broker'] }),
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
        Type.String({ description: 'broker or server: only those.', examples: ['broker'] }),
      ),
    },
    answer: refer(PinotTenant),
    errors: ofTenant,
  }),
  /** As a broker has it, with a parameter of its own. */
  listTables: discovery('listTables', {
    path: pinotPatterns.tables,
    summary: 'List the tables',
    description:
      'The tables that queries may read, by their names without type; with type where one is asked for.',
    query: { type },
    answer: refer(PinotTableList),
    errors: ['ENGINE_UNAVAILABLE'],
  }),
} as const;
