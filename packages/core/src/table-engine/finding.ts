/** A problem or a notice about a config, a schema or rows. */
export interface Finding {
  /** A JSON pointer (RFC 6901) to its subject. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
}
