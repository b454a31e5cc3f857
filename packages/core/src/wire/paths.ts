/**
 * Paths of a broker's calls, as route patterns: `:requestId` stands for one path segment. All
 * accept a trailing slash.
 */
export const routePatterns = {
  query: '/query/sql',
  queries: '/queries',
  runningQuery: '/query/:requestId',
  page: '/query/:requestId/results',
  metadata: '/query/:requestId/metadata',
  link: '/query/:requestId/link',
  resultStore: '/query/resultStore',
  storedResult: '/query/resultStore/:requestId',
  health: '/health',
  metrics: '/metrics',
  openApi: '/openapi.json',
  docs: '/docs',
} as const;

/** Paths of the calls by which a controller looks after all brokers. */
export const clusterPatterns = {
  results: '/cluster/results',
  health: '/cluster/health',
  settings: '/cluster/settings',
  sweep: '/cluster/sweep',
} as const;

/** Path of the call by which a broker tells what a sweep would take. */
export const sweepPattern = '/sweep';

/** Path of the call by which a broker tells its settings. */
export const settingsPattern = '/settings';

/** Path of the call that says who calls. */
export const callerPattern = '/whoami';

/**
 * Whether a path's segment is that of another call, where request ids stand as well: `/query/sql`
 * takes queries.
 */
export function isReservedSegment(requestId: string): boolean {
  return routePatterns.query === `/query/${requestId}`;
}

/** Path of one query, to ask how far it is, and to cancel it. */
export function queryPath(requestId: string): string {
  return routePatterns.runningQuery.replace(':requestId', encodeURIComponent(requestId));
}

/** Path of a result's pages. */
export function pagePath(requestId: string): string {
  return routePatterns.page.replace(':requestId', encodeURIComponent(requestId));
}

/** Path of a query's metadata. */
export function metadataPath(requestId: string): string {
  return routePatterns.metadata.replace(':requestId', encodeURIComponent(requestId));
}

/** Path of one stored result, to delete or renew it. */
export function storedResultPath(requestId: string): string {
  return routePatterns.storedResult.replace(':requestId', encodeURIComponent(requestId));
}
