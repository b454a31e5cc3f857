import { Type } from '@quire/core/schema';
import { CallerResponse } from './caller-response.ts';
import {
  ClusterDeletionResponse,
  ClusterHealthResponse,
  ClusterResultsResponse,
  ClusterSweepResponse,
} from './cluster-response.ts';
import { ControllerHealthResponse } from './controller-health.ts';
import { errorResponses, type Operation, responseOf } from './operation.ts';
import { callerPattern, clusterPatterns, routePatterns } from '@quire/core/wire';
import { discoveryOperations } from './pinot/discovery-operations.ts';
import { tableOperations } from './pinot/table-operations.ts';
import { refer } from './reference.ts';
import { SettingsResponse } from './settings-response.ts';
import { serviceOperations } from './service-operations.ts';
import { previewOperations } from './tables/preview-operations.ts';
import { restreamOperations } from './tables/restream-operations.ts';
import { streamOperations } from './tables/stream-operations.ts';
import { tableAdminOperations } from './tables/table-admin-operations.ts';
import { taskOperations } from './tables/task-operations.ts';

const readHealth: Operation = {
  method: 'GET',
  path: routePatterns.health,
  schema: {
    operationId: 'readHealth',
    summary: 'Read the health of the controller',
    description: 'Needs no credentials. Returns 503 while the controller shuts down.',
    tags: ['service'],
    security: [],
    response: {
      200: responseOf(
        'The controller is alive.',
        'application/json',
        refer(ControllerHealthResponse),
      ),
      503: errorResponses('SHUTTING_DOWN')[503] ?? {
        description: 'The controller is shutting down.',
      },
    },
  },
};

const listClusterResults: Operation = {
  method: 'GET',
  path: clusterPatterns.results,
  schema: {
    operationId: 'listClusterResults',
    summary: 'List the stored results of all brokers',
    description:
      'Merged, newest first. If a broker does not answer, its results are missing and the broker is named. For admins.',
    tags: ['cluster'],
    response: {
      200: responseOf('The results.', 'application/json', refer(ClusterResultsResponse)),
      ...errorResponses('FORBIDDEN'),
    },
  },
};

const deleteExpiredClusterResults: Operation = {
  method: 'DELETE',
  path: clusterPatterns.results,
  schema: {
    operationId: 'deleteExpiredClusterResults',
    summary: 'Delete the expired results of all brokers',
    description:
      'Deletes immediately, on every broker, the results whose expiration time is at or before the given time. For admins.',
    tags: ['cluster'],
    querystring: Type.Object({
      expiredBefore: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'In epoch milliseconds. Absent: now, by the clock of each broker.',
        }),
      ),
    }),
    response: {
      200: responseOf('The outcome.', 'application/json', refer(ClusterDeletionResponse)),
      ...errorResponses('ORIGIN_NOT_ALLOWED', 'INVALID_PARAMETER', 'FORBIDDEN'),
    },
  },
};

const readClusterHealth: Operation = {
  method: 'GET',
  path: clusterPatterns.health,
  schema: {
    operationId: 'readClusterHealth',
    summary: 'Read the health of the brokers',
    description: 'Calls each broker now, and reports the state of its expiry job. For admins.',
    tags: ['cluster'],
    response: {
      200: responseOf(
        'The health of all brokers.',
        'application/json',
        refer(ClusterHealthResponse),
      ),
      ...errorResponses('FORBIDDEN'),
    },
  },
};

const readClusterSweep: Operation = {
  method: 'GET',
  path: clusterPatterns.sweep,
  schema: {
    operationId: 'readClusterSweep',
    summary: 'Preview the next sweeps',
    description:
      'Requests a dry run of the storage cleaner from each broker. Nothing is deleted. For admins.',
    tags: ['cluster'],
    response: {
      200: responseOf('The planned deletions.', 'application/json', refer(ClusterSweepResponse)),
      ...errorResponses('FORBIDDEN'),
    },
  },
};

const readCaller: Operation = {
  method: 'GET',
  path: callerPattern,
  schema: {
    operationId: 'readCaller',
    summary: 'Read the identity of the caller',
    description: 'Returns the name and the role of the caller.',
    tags: ['service'],
    response: {
      200: responseOf('The identity of the caller.', 'application/json', refer(CallerResponse)),
      ...errorResponses(),
    },
  },
};

const readSettings: Operation = {
  method: 'GET',
  path: clusterPatterns.settings,
  schema: {
    operationId: 'readSettings',
    summary: 'Read the settings in force',
    description:
      "The settings of the controller's process, or of the named broker, with the source of each. Secrets are hidden. For admins.",
    tags: ['cluster'],
    querystring: Type.Object({
      broker: Type.Optional(
        Type.String({
          description: 'Address of a broker, as in `/cluster/health`. Absent: the controller.',
        }),
      ),
    }),
    response: {
      200: responseOf('The settings.', 'application/json', refer(SettingsResponse)),
      ...errorResponses(
        'INVALID_PARAMETER',
        'FORBIDDEN',
        'UNSUPPORTED',
        'BROKER_FAILED',
        'BROKER_UNAVAILABLE',
        'BROKER_TIMED_OUT',
      ),
    },
  },
};

/** Every call of a controller (CONTRACT.md section 3). */
export const controllerOperations = {
  ...serviceOperations,
  ...tableOperations,
  ...discoveryOperations,
  ...previewOperations,
  ...tableAdminOperations,
  ...streamOperations,
  ...taskOperations,
  ...restreamOperations,
  readHealth,
  listClusterResults,
  deleteExpiredClusterResults,
  readClusterHealth,
  readClusterSweep,
  readSettings,
  readCaller,
} as const;
