import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { errorResponses, type Operation, type OperationResponse, responseOf } from './operation.ts';
import { linkOperations } from './link-operation.ts';
import { pinotOperations } from './pinot/pinot-operations.ts';
import { tableOperations } from './pinot/table-operations.ts';
import { queryOperations } from './query-operations.ts';
import { resultOperations } from './result-operations.ts';
import { runningQueryOperations } from './running-query-operations.ts';
import { serviceOperations } from './service-operations.ts';

/**
 * The request headers with which a caller names the broker that holds a result (SPECIFICATION.md
 * section 4.5), in Node's spelling.
 */
export const forwardHeaders = { host: 'forward_host', port: 'forward_port' } as const;

/**
 * The response header with the brokers that are missing from an answer, separated by commas; absent
 * if it is complete.
 */
export const partialHeader = 'x-quire-partial';

/** The health of a proxy and its brokers for any caller; it contains no addresses. */
export const ProxyHealthResponse = Type.Object(
  {
    status: Type.Unsafe<'ok' | 'degraded' | 'unavailable'>({
      type: 'string',
      enum: ['ok', 'degraded', 'unavailable'],
      description: 'ok: all brokers are up. degraded: some are not. unavailable: none is.',
    }),
    version: Type.String({ description: 'Version of the proxy.' }),
    uptimeMs: Type.Integer({
      minimum: 0,
      description: 'Uptime, in milliseconds.',
    }),
    brokers: Type.Array(
      Type.Object({
        brokerId: Type.Union([Type.String(), Type.Null()], {
          description: 'Id of the broker; null until it has reported it.',
        }),
        state: Type.Unsafe<'up' | 'down'>({
          type: 'string',
          enum: ['up', 'down'],
          description: 'Whether the broker receives calls.',
        }),
        callsRunning: Type.Integer({
          minimum: 0,
          description: 'Calls of this proxy that the broker is answering.',
        }),
      }),
      { description: 'The brokers, in the order of the settings.' },
    ),
    settingsProblems: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Problems of the current settings file; the last valid settings stay in force.',
      }),
    ),
  },
  { description: 'The proxy is alive.' },
);
export type ProxyHealthResponse = Static<typeof ProxyHealthResponse>;

const forwardParameters = Type.Object({
  FORWARD_HOST: Type.Optional(
    Type.String({
      description: 'brokerHost of the response to the query. Used with FORWARD_PORT.',
    }),
  ),
  FORWARD_PORT: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: 'brokerPort of the response to the query. Used with FORWARD_HOST.',
    }),
  ),
});

/** The errors between proxy and broker, in addition to the broker's own. */
const gatewayErrors = errorResponses(
  'BROKER_FAILED',
  'BROKER_TIMED_OUT',
  'BROKER_UNAVAILABLE',
  'STORE_UNAVAILABLE',
);

function withGatewayErrors({ response, ...schema }: Operation['schema']): Operation['schema'] {
  const statuses = [502, 503, 504];
  const added = Object.fromEntries(
    Object.entries(gatewayErrors).filter(([status]) => statuses.includes(Number(status))),
  );
  return { ...schema, response: { ...response, ...added } };
}

/** Returns the broker's operation; the proxy forwards it to a broker that is up. */
function toAnyBroker(operation: Operation): Operation {
  return { ...operation, schema: withGatewayErrors(operation.schema) };
}

/** Returns the broker's operation; the proxy forwards it to the broker that holds the result. */
function toHolder(operation: Operation): Operation {
  const schema = withGatewayErrors(operation.schema);
  const { 400: invalid = errorResponses('INVALID_PARAMETER')[400] } = schema.response;
  return {
    ...operation,
    schema: {
      ...schema,
      headers: forwardParameters,
      response: { ...schema.response, ...(invalid !== undefined && { 400: invalid }) },
    },
  };
}

/** Returns an operation that not every broker has. */
function withMissing({ schema, ...operation }: Operation): Operation {
  const missing = errorResponses('RESULT_NOT_FOUND')[404] ?? {
    description: 'The brokers do not have it.',
  };
  return { ...operation, schema: { ...schema, response: { ...schema.response, 404: missing } } };
}

/**
 * Returns the broker's operation; the proxy forwards it to all of them and merges their answers.
 */
function toAllBrokers(operation: Operation, description: string): Operation {
  const schema = withGatewayErrors(operation.schema);
  const headers = {
    [partialHeader]: {
      type: 'string',
      description: 'The brokers that are missing from the answer; absent if there are none.',
    },
  };
  const whole: OperationResponse | undefined = schema.response[200];
  return {
    ...operation,
    schema: {
      ...schema,
      description,
      response: {
        ...schema.response,
        ...(whole !== undefined && {
          200: { ...whole, headers: { ...whole.headers, ...headers } },
        }),
      },
    },
  };
}

const { readHealth, ...othersOfService } = serviceOperations;

const readProxyHealth: Operation = {
  ...readHealth,
  schema: {
    ...readHealth.schema,
    summary: 'Read the health of the proxy and its brokers',
    description:
      'Needs no credentials. Returns 200 even if no broker is up, and 503 while the proxy shuts down.',
    response: {
      200: responseOf('The proxy is alive.', 'application/json', ProxyHealthResponse),
      503: errorResponses('SHUTTING_DOWN')[503] ?? { description: 'The proxy is shutting down.' },
    },
  },
};

/** Every call of a proxy (CONTRACT.md section 3). */
export const proxyOperations = {
  runQuery: toAnyBroker(queryOperations.runQuery),
  readPage: toHolder(queryOperations.readPage),
  readMetadata: toHolder(queryOperations.readMetadata),
  readQuery: toHolder(runningQueryOperations.readQuery),
  cancelQuery: toHolder(runningQueryOperations.cancelQuery),
  listQueries: toAllBrokers(
    runningQueryOperations.listQueries,
    "The waiting and running queries of all brokers, newest first: all for admins, otherwise the caller's own. Those of brokers that do not answer are missing.",
  ),
  readLink: toHolder(linkOperations.readLink),
  listResults: toAllBrokers(
    resultOperations.listResults,
    "All results of all brokers, newest first, for admins; with own=true the caller's, with their queries, for everyone. Those of brokers that do not answer are missing.",
  ),
  readUsage: toAllBrokers(
    withMissing(resultOperations.readUsage),
    'The storage that the caller uses on all brokers, and how much it may store there. Brokers that do not answer are missing.',
  ),
  readResult: toHolder(resultOperations.readResult),
  deleteResult: toHolder(resultOperations.deleteResult),
  deleteExpiredResults: toAllBrokers(
    resultOperations.deleteExpiredResults,
    'Deletes, on every broker, every result whose expiration time is at or before the given time. For admins.',
  ),
  renewResult: toHolder(resultOperations.renewResult),
  runPinotQuery: toAnyBroker(pinotOperations.runPinotQuery),
  listPinotResponses: toAllBrokers(
    pinotOperations.listPinotResponses,
    'All results of all brokers, newest first. Those of brokers that do not answer are missing. For admins.',
  ),
  readPinotResponse: toHolder(pinotOperations.readPinotResponse),
  readPinotPage: toHolder(pinotOperations.readPinotPage),
  deletePinotResponse: toHolder(pinotOperations.deletePinotResponse),
  deleteExpiredPinotResponses: toAllBrokers(
    pinotOperations.deleteExpiredPinotResponses,
    'Deletes, on every broker, every result whose expiration time is at or before the given time. For admins.',
  ),
  listTables: toAnyBroker(tableOperations.listTables),
  readTableSchema: toAnyBroker(tableOperations.readTableSchema),
  readHealth: readProxyHealth,
  ...othersOfService,
} as const;
