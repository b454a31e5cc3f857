/** Paths of the calls of Apache Pinot's cursor API, as route patterns. */
export const pinotPatterns = {
  multiStageQuery: '/query',
  responseStore: '/responseStore',
  storedResponse: '/responseStore/:requestId',
  responsePage: '/responseStore/:requestId/results',
  tables: '/tables',
  tableSchema: '/tables/:tableName/schema',
  liveBrokers: '/tables/livebrokers',
  liveBrokersOfTable: '/tables/:tableName/livebrokers',
  tableInstances: '/tables/:tableName/instances',
  tenant: '/tenants/:tenantName',
  /** Each with `/v2` before it as well, which tells more of a broker than its name. */
  brokers: '/brokers',
  tenantsBrokers: '/brokers/tenants',
  tenantBrokers: '/brokers/tenants/:tenantName',
  tablesBrokers: '/brokers/tables',
  tableBrokers: '/brokers/tables/:tableName',
} as const;

/**
 * The response header that tells Apache Pinot's clients how a query went: the code of its first
 * exception, or -1.
 */
export const pinotErrorCodeHeader = 'x-pinot-error-code';
