export {
  type AdminRouteName,
  adminRoutes,
  type ArrowCodec,
  arrowCodecs,
  errorCodeOfException,
  exceptionNumberOf,
  expirationHeader,
  isReservedSegment,
  metadataPath,
  type PageFormat,
  type PageFormatName,
  pageFormatNames,
  pageFormats,
  pageHeaders,
  pagePath,
  queryPath,
  type QueryState,
  type Route,
  routePatterns,
  settingsPattern,
  storedResultPath,
  sweepPattern,
} from '@quire/core/wire';
export { brokerOperations } from './broker-operations.ts';
export { CallerResponse } from './caller-response.ts';
export { components, tableAdminComponents } from './components.ts';
export {
  ClusterDeletionResponse,
  ClusterHealthResponse,
  ClusterResultsResponse,
  ClusterSweepResponse,
} from './cluster-response.ts';
export { ControllerHealthResponse, tableProblemsMax } from './controller-health.ts';
export { controllerOperations } from './controller-operations.ts';
export { brokerHeadersOf, brokerMembersOf, ErrorBody } from './error-body.ts';
export { errorStatuses } from './error-status.ts';
export { HealthResponse } from './health-response.ts';
export { MetadataRecord, QueryException } from './metadata-record.ts';
export { type Operation, type OperationResponse } from './operation.ts';
export { LinkResponse } from './link-operation.ts';
export {
  formatPageParameters,
  parseArrowCodecs,
  parseBooleanParameter,
  parseFormat,
  parseFormulas,
  parseInt32Parameter,
  parseIntegerParameter,
  parseOffset,
  parseRowCount,
  parseWaitMs,
  type RawParameter,
} from './parameters.ts';
export {
  forwardHeaders,
  partialHeader,
  ProxyHealthResponse,
  proxyOperations,
} from './proxy-operations.ts';
export { PinotCursorResponse, PinotStoredResponse } from './pinot-cursor-response.ts';
export { discoveryOperations } from './pinot/discovery-operations.ts';
export { pinotErrorCodeHeader } from './pinot/pinot-paths.ts';
export {
  FileTable,
  PinotBroker,
  PinotTableInstances,
  PinotTableList,
  PinotTableSchema,
  PinotTenant,
} from './pinot/table-list.ts';
export { serviceOperations } from './service-operations.ts';
export { parseTrailingOptions, takeSetStatements } from './pinot/set-statements.ts';
export { parseQueryOptions, QueryBody, type QueryOptions } from './query-body.ts';
export { type ParameterType, parameterTypes, parseQueryParameters } from './query-parameters.ts';
export { CursorResponse, MetadataResponse, QueryResponse } from './query-response.ts';
export {
  OwnedResult,
  OwnedResultListResponse,
  RenewBody,
  ResponseMetadata,
  ResultListResponse,
  StoredResult,
  UsageResponse,
} from './result-entry.ts';
export { QueryStatus, RunningQuery, RunningQueryList, type WaitReason } from './query-status.ts';
export { refer } from './reference.ts';
export { SweepPlanResponse } from './sweep-operation.ts';
export { SettingsResponse } from './settings-response.ts';
export { DataSchema, ResultTable } from './result-table.ts';
export { RestreamBody, RestreamResponse } from './tables/restream-response.ts';
export { restreamOperations } from './tables/restream-operations.ts';
export { streamOperations } from './tables/stream-operations.ts';
export { tableAdminOperations } from './tables/table-admin-operations.ts';
export { SubtaskCount, SubtaskInfo, TaskDebug } from './tables/task-debug.ts';
export { taskOperations } from './tables/task-operations.ts';
