import { resolve } from 'node:path';
import { pathOfFileUrl } from '../process/file-url.ts';
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
    value.startsWith('file:') ? pathOfUri(value) : path.parse(value, baseDir),
  format: (value) => value,
};

const schemePattern = /^[A-Za-z][A-Za-z0-9+.-]+:/;

function pathOfUri(value: string): string | undefined {
  return URL.canParse(value) ? pathOfFileUrl(new URL(value)) : undefined;
}
