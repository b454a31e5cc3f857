/** The rate of a bucket: it fills up to `capacity`, `perMs` each millisecond. */
export interface BucketRate {
  readonly capacity: number;
  readonly perMs: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * Token buckets for a limited number of keys: the least recently used one is forgotten, as if it
 * were full.
 */
export class TokenBuckets {
  readonly #keysMax: number;
  /** The buckets, least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(keysMax: number) {
    this.#keysMax = keysMax;
  }

  /** Returns the time until the key has a token; 0 if it has one. Takes none. */
  waitMs(key: string, rate: BucketRate, nowMs: number): number {
    const bucket = this.#buckets.get(key);
    return bucket === undefined ? 0 : waitOf(filled(bucket, rate, nowMs), rate);
  }

  /** Takes a token and returns 0, or returns the time until there is one. */
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

/**
 * The tolerance in milliseconds for rounding: sums of fractions of a token are slightly less than
 * the whole.
 */
const roundingTolerance = 1e-6;

function waitOf({ tokens }: Bucket, { perMs }: BucketRate): number {
  const waitMs = (1 - tokens) / perMs - roundingTolerance;
  return waitMs <= 0 ? 0 : Math.ceil(waitMs);
}
