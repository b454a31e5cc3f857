/*
 * The names of the HTTP interface that clients and servers share. They need neither Node nor the
 * schemas of `@quire/api`, which exports them as well.
 */
export { type AdminRouteName, adminRoutes, type Route } from './admin-routes.ts';
export { errorCodeOfException, exceptionNumberOf } from './exception-codes.ts';
export {
  type ArrowCodec,
  arrowCodecs,
  isArrowCodec,
  type FormatsWith,
  isJoinableFormat,
  isPageFormatName,
  isTextFormat,
  type PageFormat,
  type PageFormatName,
  pageFormatNames,
  pageFormats,
} from './page-format.ts';
export { expirationHeader, pageHeaders } from './page-headers.ts';
export {
  callerPattern,
  clusterPatterns,
  isReservedSegment,
  metadataPath,
  pagePath,
  queryPath,
  routePatterns,
  settingsPattern,
  storedResultPath,
  sweepPattern,
} from './paths.ts';
export { type QueryState, queryStates } from './query-state.ts';
export type { RestreamResponse, RestreamStatus } from './restream-response.ts';
export type { ResponseMetadata, ResultListResponse, StoredResult } from './stored-result.ts';
export type { SubtaskCount, SubtaskInfo, TaskDebug } from './task-debug.ts';
