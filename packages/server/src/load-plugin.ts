import { pathToFileURL } from 'node:url';
import { QuireError } from '@quire/core';

export interface Plugin {
  /** The setting that names its module. */
  readonly key: string;
  readonly path: string;
  /** The function that the module exports. */
  readonly exportName: string;
}

/**
 * The function that a module of somebody else exports.
 *
 * @throws INVALID_SETTING when the module cannot be loaded or exports no such function
 */
export async function loadPlugin({ key, path, exportName }: Plugin): Promise<unknown> {
  const assignment = `${key} = ${path}`;
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QuireError('INVALID_SETTING', `${assignment}: ${reason}`, { cause: error });
  }
  const found = exported[exportName];
  if (typeof found === 'function') return found;
  throw new QuireError(
    'INVALID_SETTING',
    `${assignment}: the module exports no function ${exportName}.`,
  );
}
