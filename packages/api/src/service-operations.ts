import { errorResponses, type Operation, responseOf } from './operation.ts';
import { HealthResponse } from './health-response.ts';
import { routePatterns } from '@quire/core/wire';
import { refer } from './reference.ts';

const readHealth: Operation = {
  method: 'GET',
  path: routePatterns.health,
  schema: {
    operationId: 'readHealth',
    summary: 'Read the health of the broker',
    description: 'Needs no credentials. Returns 503 while the broker shuts down.',
    tags: ['service'],
    security: [],
    response: {
      200: responseOf('The broker is alive.', 'application/json', refer(HealthResponse)),
      503: errorResponses('SHUTTING_DOWN')[503] ?? { description: 'The broker is shutting down.' },
    },
  },
};

const readMetrics: Operation = {
  method: 'GET',
  path: routePatterns.metrics,
  schema: {
    operationId: 'readMetrics',
    summary: 'Read the metrics',
    description: 'In the text format of Prometheus.',
    tags: ['service'],
    response: {
      200: responseOf('The metrics.', 'text/plain', { type: 'string' }),
      ...errorResponses(),
    },
  },
};

const readOpenApi: Operation = {
  method: 'GET',
  path: routePatterns.openApi,
  schema: {
    operationId: 'readOpenApi',
    summary: 'Read this document',
    description: 'The API as an OpenAPI 3.1 document.',
    tags: ['service'],
    response: {
      200: responseOf('The document.', 'application/json', { type: 'object' }),
      ...errorResponses(),
    },
  },
};

const readDocs: Operation = {
  method: 'GET',
  path: routePatterns.docs,
  schema: {
    operationId: 'readDocs',
    summary: 'Read the API reference',
    description:
      'The OpenAPI document as a self-contained HTML page, with a form to try each call.',
    tags: ['service'],
    response: {
      200: responseOf('The page.', 'text/html', { type: 'string' }),
      ...errorResponses(),
    },
  },
};

/** The calls of every service: health, metrics and the API document. */
export const serviceOperations = { readHealth, readMetrics, readOpenApi, readDocs } as const;
