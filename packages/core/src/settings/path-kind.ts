import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SettingKind } from './setting-kind.ts';

/** A path on this machine; the value is absolute. */
export const path: SettingKind<string> = {
  allowed: 'a path on this machine, absolute or relative',
  parse: (value, baseDir) =>
    value === '' || value.includes('\0') || schemePattern.test(value)
      ? undefined
      : resolve(baseDir, value),
  format: (value) => value,
};

/** A file as a path or a `file:` URI; the value is an absolute path. */
export const fileOrUri: SettingKind<string> = {
  allowed: 'a path on this machine, absolute or relative, or a file: URI',
  parse: (value, baseDir) =>
    value.startsWith('file:') ? pathOfFileUri(value) : path.parse(value, baseDir),
  format: (value) => value,
};

const schemePattern = /^[A-Za-z][A-Za-z0-9+.-]+:/;

function pathOfFileUri(value: string): string | undefined {
  const uri = URL.canParse(value) ? new URL(value) : undefined;
  // URIs with an escaped slash, NUL or a host do not name a local file, and other escapes may be
  // invalid. They are rejected because the conversion would throw.
  if (uri === undefined || uri.host !== '' || /%(?:2f|00)/i.test(uri.pathname)) return undefined;
  return isDecodable(uri.pathname) ? fileURLToPath(uri) : undefined;
}

/** Reports whether all escapes of a part of a URI are of UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return false;
  }
}
