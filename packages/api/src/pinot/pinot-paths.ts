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
  /** The broker paths; each also exists with the prefix `/v2`, which returns more than names. */
  brokers: '/brokers',
  tenantsBrokers: '/brokers/tenants',
  tenantBrokers: '/brokers/tenants/:tenantName',
  tablesBrokers: '/brokers/tables',
  tableBrokers: '/brokers/tables/:tableName',
} as const;

/**
 * The response header with the outcome of a query for Apache Pinot's clients: the code of its first
 * exception, or -1.
 */
export const pinotErrorCodeHeader = 'x-pinot-error-code';
