/** Something that is wrong, or worth knowing, about a config, a schema or rows. */
export interface Finding {
  /** JSON pointer (RFC 6901) to what it is about. */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
}
