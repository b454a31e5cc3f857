import { ControllerHealthResponse } from './controller-health.ts';
import { errorResponses, type Operation, responseOf } from './operation.ts';
import { routePatterns } from './paths.ts';
import { refer } from './reference.ts';
import { serviceOperations } from './service-operations.ts';

const readHealth: Operation = {
  method: 'GET',
  path: routePatterns.health,
  schema: {
    operationId: 'readHealth',
    summary: 'Ask whether the controller is alive',
    description: 'Needs no credentials. Gives 503 while the controller shuts down.',
    tags: ['service'],
    security: [],
    response: {
      200: responseOf('The controller is alive.', 'application/json', refer(ControllerHealthResponse)),
      503: errorResponses('SHUTTING_DOWN')[503] ?? { description: 'The controller shuts down.' },
    },
  },
};

/** Every call of a controller (contract section 3). */
export const controllerOperations = { ...serviceOperations, readHealth } as const;
