/**
 * The response headers that carry the cursor's members when the body is not JSON. A member that is
 * null or absent has no header.
 */
export const pageHeaders = {
  requestId: 'quire-request-id',
  brokerId: 'quire-broker-id',
  numRowsResultSet: 'quire-num-rows-result-set',
  offset: 'quire-offset',
  numRows: 'quire-num-rows',
  nextOffsetParams: 'quire-next-offset-params',
  prevOffsetParams: 'quire-prev-offset-params',
  brokerHost: 'quire-broker-host',
  brokerPort: 'quire-broker-port',
  reused: 'quire-reused',
  state: 'quire-query-state',
} as const;

/**
 * The header with the expiration time of the result in epoch milliseconds, sent with every page in
 * every format. It is not in the body, which never changes.
 */
export const expirationHeader = 'quire-expiration-time-ms';
