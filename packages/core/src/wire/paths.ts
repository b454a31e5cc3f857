/**
 * Paths of a broker's calls, as route patterns: `:requestId` matches one path segment. All accept a
 * trailing slash.
 */
export const routePatterns = {
  query: '/query/sql',
  queries: '/queries',
  runningQuery: '/query/:requestId',
  page: '/query/:requestId/results',
  metadata: '/query/:requestId/metadata',
  link: '/query/:requestId/link',
  resultStore: '/query/resultStore',
  usage: '/query/usage',
  storedResult: '/query/resultStore/:requestId',
  health: '/health',
  metrics: '/metrics',
  openApi: '/openapi.json',
  docs: '/docs',
} as const;

/** Paths of the calls with which a controller manages all brokers. */
export const clusterPatterns = {
  results: '/cluster/results',
  health: '/cluster/health',
  settings: '/cluster/settings',
  sweep: '/cluster/sweep',
} as const;

/** Path of the call that lists what a sweep of the broker would delete. */
export const sweepPattern = '/sweep';

/** Path of the call that returns a broker's settings. */
export const settingsPattern = '/settings';

/** Path of the call that returns the identity of the caller. */
export const callerPattern = '/whoami';

/**
 * Reports whether a path segment in the position of a request id belongs to another call:
 * `/query/sql` accepts queries.
 */
export function isReservedSegment(requestId: string): boolean {
  return routePatterns.query === `/query/${requestId}`;
}

/** Returns the path of one query, to read its progress and to cancel it. */
export function queryPath(requestId: string): string {
  return routePatterns.runningQuery.replace(':requestId', encodeURIComponent(requestId));
}

/** Returns the path of a result's pages. */
export function pagePath(requestId: string): string {
  return routePatterns.page.replace(':requestId', encodeURIComponent(requestId));
}

/** Returns the path of a query's metadata. */
export function metadataPath(requestId: string): string {
  return routePatterns.metadata.replace(':requestId', encodeURIComponent(requestId));
}

/** Returns the path of one stored result, to delete or renew it. */
export function storedResultPath(requestId: string): string {
  return routePatterns.storedResult.replace(':requestId', encodeURIComponent(requestId));
}
