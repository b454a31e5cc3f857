export { callContextOf, principalOf, signalOf } from './call-context.ts';
export type { CallsUnderWay } from './calls-under-way.ts';
export { createService, type Service, type ServiceAddress } from './create-service.ts';
export { errorBodyOf, publicMessage, toQuireError } from './error-reply.ts';
export { queryOf, type QueryParameters, requestIdOf, type RouteHandler, routeOf } from './route.ts';
export type { ServiceContext } from './service-context.ts';
export { ServiceMetrics } from './service-metrics.ts';
export type { HttpLimits, ServiceDescription, ServiceOptions, ServerOptions } from './service-options.ts';
