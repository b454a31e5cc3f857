import { QuireError } from '../errors.ts';

/** A place in a bucket. */
export interface BucketLocation {
  readonly bucket: string;
  /** What the names of all objects start with: empty, or text that ends with a slash. */
  readonly prefix: string;
}

const pattern = /^([a-z0-9]+):\/\/([a-z0-9][a-z0-9._-]{1,254})(?:\/(.*))?$/;

/**
 * Parses `<scheme>://bucket` or `<scheme>://bucket/prefix`; slashes at the end do not count.
 *
 * @throws INVALID_PARAMETER when it is anything else
 */
export function parseBucketLocation(uri: string, scheme: 's3' | 'gs'): BucketLocation {
  const [, found, bucket, path = ''] = pattern.exec(uri) ?? [];
  const segments = path.replace(/\/+$/, '').split('/');
  const isPlain =
    path === '' ||
    segments.every((segment) => /^[A-Za-z0-9_.=-]+$/.test(segment) && !/^\.+$/.test(segment));
  if (bucket === undefined || found !== scheme || !isPlain) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `${JSON.stringify(uri)} is not a location in a bucket: expected ${scheme}://bucket/prefix.`,
    );
  }
  return { bucket, prefix: path === '' ? '' : `${segments.join('/')}/` };
}

/** Neither Amazon nor Google takes a longer-lived signature. */
const lifetimeMaxMs = 7 * 24 * 60 * 60 * 1000;

/** @throws INVALID_PARAMETER when a signed link cannot live that long */
export function assertLinkLifetime(key: string, lifetimeMs: number): void {
  if (lifetimeMs >= 1000 && lifetimeMs <= lifetimeMaxMs) return;
  throw new QuireError(
    'INVALID_PARAMETER',
    `A link to ${key} cannot live for ${lifetimeMs} ms: expected a second to seven days.`,
  );
}
