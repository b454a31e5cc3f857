/** The call of a store in which a failure came up. */
export interface FailedCall {
  readonly op: 'open' | 'link' | 'head' | 'get' | 'put' | 'list' | 'delete';
  /** The key; of a `list`, the prefix; of `open`, the bucket. */
  readonly key: string;
  readonly location: string;
  readonly signal?: AbortSignal | undefined;
}
