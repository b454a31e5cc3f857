/** Arrow Flight SQL at a broker. */
export interface FlightOptions {
  /** Where to listen; the host is that of the broker. Port 0 takes any free one. */
  readonly port: number;
  /** How long the results of queries that came by Flight live, in milliseconds. */
  readonly expirationMs: number;
  /** The largest message of data, in bytes; larger batches are parted. */
  readonly messageBytesMax: number;
  /**
   * Seals the name of a caller whose credentials a handshake has checked into a bearer token, so
   * that it does not send its password with each call. Undefined for callers that cannot have one.
   */
  readonly issueToken?: ((principalName: string) => string | undefined) | undefined;
}
