export { audit } from './audit.ts';
export {
  type CallContext,
  callContextOf,
  principalOf,
  renameCall,
  signalOf,
} from './call-context.ts';
export { admitWork, countWork } from './call-hooks.ts';
export type { Call, CallOutcome, CallsUnderWay } from './calls-under-way.ts';
export { createService, type Service } from './create-service.ts';
export type { ServiceAddress, ServiceContext } from './service-context.ts';
export { publicMessage, toQuireError } from './error-reply.ts';
export type { Mounted } from './mounted.ts';
export {
  type BodyReading,
  queryOf,
  type QueryParameters,
  requestIdOf,
  type RouteHandler,
  routeOf,
  uploadRoute,
} from './route.ts';
export { claimOf, createSharedSlots, type SharedSlotsOptions } from './shared-slots.ts';
export { ServiceMetrics } from './service-metrics.ts';
export type {
  HttpLimits,
  ServerOptions,
  ServiceDescription,
  ServiceOptions,
} from './service-options.ts';
export { secureContextOf, type TlsCertificate } from './tls-certificate.ts';
export { openUpload, type Upload } from './upload.ts';
