/**
 * The response headers that carry the cursor members when the body is not JSON. A member that is
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
 * When the result expires, in epoch milliseconds; with every page, in every format. Not in the
 * body, which never changes.
 */
export const expirationHeader = 'quire-expiration-time-ms';
