/** The store call in which a failure occurred. */
export interface FailedCall {
  readonly op: 'open' | 'link' | 'head' | 'get' | 'put' | 'list' | 'delete';
  /** The key; of a `list`, the prefix; of `open`, the bucket. */
  readonly key: string;
  readonly location: string;
  readonly signal?: AbortSignal | undefined;
}

/** Describes a call in a message: `put of a/b in s3://bucket`, `list of s3://bucket`. */
export function describeCall({
  op,
  key,
  location,
}: Pick<FailedCall, 'op' | 'key' | 'location'>): string {
  return key === '' ? `${op} of ${location}` : `${op} of ${key} in ${location}`;
}
