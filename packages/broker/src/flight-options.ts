/** The options of Arrow Flight SQL on a broker. */
export interface FlightOptions {
  /** The port to listen on, with the host of the broker. Port 0 means any free port. */
  readonly port: number;
  /** The lifetime of results of Flight queries, in milliseconds. */
  readonly expirationMs: number;
  /** The maximum size of a data message, in bytes; larger batches are split. */
  readonly messageBytesMax: number;
  /**
   * Issues a bearer token for an authenticated caller, so that it does not send its password with
   * each call. Undefined for callers that cannot have one.
   */
  readonly issueToken?: ((principalName: string) => string | undefined) | undefined;
}
