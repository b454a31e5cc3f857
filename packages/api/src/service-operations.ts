import { errorResponses, type Operation, responseOf } from './operation.ts';
import { HealthResponse } from './health-response.ts';
import { routePatterns } from '@quire/core/wire';
import { refer } from './reference.ts';

const readHealth: Operation = {
  method: 'GET',
  path: routePatterns.health,
  schema: {
    operationId: 'readHealth',
    summary: 'Ask whether the broker is alive',
    description: 'Needs no credentials. Gives 503 while the broker shuts down.',
    tags: ['service'],
    security: [],
    response: {
      200: responseOf('The broker is alive.', 'application/json', refer(HealthResponse)),
      503: errorResponses('SHUTTING_DOWN')[503] ?? { description: 'The broker shuts down.' },
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
    summary: 'Read about the API',
    description:
      'The OpenAPI document as a page for people, with a form to try each call. It needs nothing from elsewhere.',
    tags: ['service'],
    response: {
      200: responseOf('The page.', 'text/html', { type: 'string' }),
      ...errorResponses(),
    },
  },
};

/** The calls that every service answers: health, metrics and the API document. */
export const serviceOperations = { readHealth, readMetrics, readOpenApi, readDocs } as const;
