import { readFile } from 'node:fs/promises';
import { QuireError } from '@quire/core';
import type { Settings } from '@quire/settings';

/** Returns the text of a PEM file in a setting. @throws INVALID_SETTING when it cannot be read */
export async function readPem(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new QuireError(
      'INVALID_SETTING',
      `${setting} = ${path}: the file cannot be read (${code}).`,
      { cause: error },
    );
  }
}

/**
 * Returns the CA certificates that outgoing calls trust besides those of Node; undefined if the
 * settings have none.
 *
 * @throws INVALID_SETTING when their file cannot be read
 */
export async function readAuthorities({
  tls: { authoritiesFile },
}: Pick<Settings, 'tls'>): Promise<string | undefined> {
  if (authoritiesFile === undefined) return undefined;
  return readPem('engine.tls.ca.file', authoritiesFile);
}
