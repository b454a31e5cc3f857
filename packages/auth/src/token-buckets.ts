/** How a bucket fills: up to `capacity`, `perMs` each millisecond. */
export interface BucketRate {
  readonly capacity: number;
  readonly perMs: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * A token bucket for each key, for a bounded number of keys: the one that was used the longest ago
 * is forgotten, as if it were full.
 */
export class TokenBuckets {
  readonly #keysMax: number;
  /** The longest unused first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(keysMax: number) {
    this.#keysMax = keysMax;
  }

  /** For how long the key has no token; 0 when there is one. Takes nothing. */
  waitMs(key: string, rate: BucketRate, nowMs: number): number {
    const bucket = this.#buckets.get(key);
    return bucket === undefined ? 0 : waitOf(filled(bucket, rate, nowMs), rate);
  }

  /** Takes a token and gives 0, or takes none and gives how long none will be left. */
  take(key: string, rate: BucketRate, nowMs: number): number {
    const bucket = filled(
      this.#buckets.get(key) ?? { tokens: rate.capacity, atMs: nowMs },
      rate,
      nowMs,
    );
    const waitMs = waitOf(bucket, rate);
    if (waitMs === 0) bucket.tokens -= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.size > this.#keysMax ? this.#buckets.keys() : [];
    if (oldest !== undefined) this.#buckets.delete(oldest);
    return waitMs;
  }
}

function filled({ tokens, atMs }: Bucket, { capacity, perMs }: BucketRate, nowMs: number): Bucket {
  return { tokens: Math.min(capacity, tokens + Math.max(0, nowMs - atMs) * perMs), atMs: nowMs };
}

/** In milliseconds: sums of fractions of a token fall short of the whole by a little. */
const roundingTolerance = 1e-6;

function waitOf({ tokens }: Bucket, { perMs }: BucketRate): number {
  const waitMs = (1 - tokens) / perMs - roundingTolerance;
  return waitMs <= 0 ? 0 : Math.ceil(waitMs);
}
