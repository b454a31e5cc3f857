/** Paths of the calls of Apache Pinot's cursor API, as route patterns. */
export const pinotPatterns = {
  multiStageQuery: '/query',
  responseStore: '/responseStore',
  storedResponse: '/responseStore/:requestId',
  responsePage: '/responseStore/:requestId/results',
  tables: '/tables',
  tableSchema: '/tables/:tableName/schema',
  liveBrokers: '/tables/livebrokers',
  tableBrokers: '/v2/brokers/tables',
  tenantBrokers: '/v2/brokers/tenants/:tenantName',
} as const;

/** The response header that tells Apache Pinot's clients how a query went: the code of its first exception, or -1. */
export const pinotErrorCodeHeader = 'x-pinot-error-code';
