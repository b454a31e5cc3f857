export {
  type AdmittedCaller,
  admitCaller,
  assertMayWork,
  followWork,
  type OnRetryAfter,
  type UnknownCaller,
} from './admit-caller.ts';
export { audit, auditCall, type AuditedCall, auditRefusal } from './audit.ts';
export {
  type CallContext,
  callContextOf,
  principalOf,
  renameCall,
  signalOf,
} from './call-context.ts';
export {
  admitWork,
  type CallEnd,
  countWork,
  observeCallEnd,
  type UnfinishedOutcome,
} from './call-hooks.ts';
export { callerTraceOf } from './call-spans.ts';
export type { Call, CallOutcome, CallsInProgress, CallTransport } from './calls-in-progress.ts';
export { createService, type Service } from './create-service.ts';
export type { ServiceAddress, ServiceContext } from './service-context.ts';
export { isServerFailure, publicMessage, toQuireError } from './error-reply.ts';
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
export { parseTraceparent, type TraceIds } from './trace-context.ts';
export {
  type DurationHistogram,
  type RenderedMetrics,
  type RenderOptions,
  ServiceMetrics,
} from './service-metrics.ts';
export type {
  HttpLimits,
  ServerOptions,
  ServiceEndpoint,
  ServiceDescription,
  ServiceOptions,
} from './service-options.ts';
export { secureContextOf, type TlsCertificate } from './tls-certificate.ts';
export { openUpload, type Upload } from './upload.ts';
export type { ResponseProgress } from './stall-watch.ts';
