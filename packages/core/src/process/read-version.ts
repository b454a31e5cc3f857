import { readFileSync } from 'node:fs';

/** Returns the version in a package's manifest, or `unknown` if it has none. */
export function readVersion(manifestUrl: URL): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestUrl, 'utf8'));
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest
      ? manifest.version
      : undefined;
  return typeof version === 'string' ? version : 'unknown';
}
