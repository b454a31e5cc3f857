import { QuireError } from '../errors.ts';
import type { StoreLocations } from '../store/store-backend.ts';

/** A location in a bucket. */
export interface BucketLocation {
  readonly bucket: string;
  /** The prefix of all object names: empty, or text that ends with a slash. */
  readonly prefix: string;
}

const pattern = /^([a-z0-9]+):\/\/([a-z0-9][a-z0-9._-]{2,254})(?:\/(.*))?$/;

/**
 * Parses `<scheme>://bucket` or `<scheme>://bucket/prefix`; trailing slashes are ignored.
 *
 * @throws INVALID_PARAMETER when it is anything else
 */
export function parseBucketLocation(uri: string, scheme: string): BucketLocation {
  const location = readBucketLocation(uri, scheme);
  if (location !== undefined) return location;
  throw new QuireError(
    'INVALID_PARAMETER',
    `${JSON.stringify(uri)} is not a location in a bucket: expected ${scheme}://bucket/prefix.`,
  );
}

function readBucketLocation(uri: string, scheme: string): BucketLocation | undefined {
  const [, found, bucket, path = ''] = pattern.exec(uri) ?? [];
  const segments = path.replace(/\/+$/, '').split('/');
  const isPlain =
    path === '' ||
    segments.every((segment) => /^[A-Za-z0-9_.=-]+$/.test(segment) && !/^\.+$/.test(segment));
  if (bucket === undefined || found !== scheme || !isPlain) return undefined;
  return { bucket, prefix: path === '' ? '' : `${segments.join('/')}/` };
}

/** The valid bucket names, in words. */
export const bucketNames =
  'whose name has 3 or more of a-z, 0-9, ., _ and -, the first one a letter or a digit';

/** Returns the valid locations of a kind of bucket store: `<scheme>://bucket/prefix`. */
export function bucketLocations(scheme: string): StoreLocations {
  const example = `${scheme}://bucket/prefix`;
  return {
    schemes: [scheme],
    areDirectories: false,
    example,
    kind: {
      allowed: `a bucket, such as ${example}, ${bucketNames}`,
      parse: (uri) => (readBucketLocation(uri, scheme) === undefined ? undefined : uri),
      format: (uri) => uri,
    },
  };
}

/** The longest lifetime of a signature that Amazon and Google accept. */
const lifetimeMaxMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Checks the lifetime of a signed link.
 *
 * @throws INVALID_PARAMETER when it is out of range
 */
export function assertLinkLifetime(key: string, lifetimeMs: number): void {
  if (lifetimeMs >= 1000 && lifetimeMs <= lifetimeMaxMs) return;
  throw new QuireError(
    'INVALID_PARAMETER',
    `A link to ${key} cannot be valid for ${lifetimeMs} ms: expected one second to seven days.`,
  );
}
