export { audit } from './audit.ts';
export { callContextOf, principalOf, signalOf, type CallContext } from './call-context.ts';
export type { CallsUnderWay, Call, CallOutcome } from './calls-under-way.ts';
export { createService, type Service, type ServiceAddress } from './create-service.ts';
export { errorBodyOf, publicMessage, toQuireError } from './error-reply.ts';
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
export type { ServiceContext } from './service-context.ts';
export { ServiceMetrics } from './service-metrics.ts';
export type { HttpLimits, ServiceDescription, ServiceOptions, ServerOptions, TlsCertificate } from './service-options.ts';
export { secureContextOf } from './tls-certificate.ts';
export { openUpload, type Upload } from './upload.ts';
