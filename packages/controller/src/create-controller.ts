import { createService, type Service, ServiceMetrics } from '@quire/service';
import type { ControllerOptions } from './controller-options.ts';
import { controllerRoutes } from './routes/index.ts';

/** Creates a controller: the HTTP service by which operators look after a cluster of brokers. */
export function createController(options: ControllerOptions): Service {
  return createService({
    server: options,
    about,
    metrics: options.metrics ?? new ServiceMetrics(),
    routes: (service) => controllerRoutes({ ...service, options }),
  });
}

const about = {
  title: 'Quire controller',
  description:
    'Looks after a cluster of brokers. Every response whose status is not 2xx has the body ErrorBody. All paths take a trailing slash.',
  tags: [{ name: 'service', description: 'Watch the controller and read about it.' }],
};
