import { pathToFileURL } from 'node:url';
import { QuireError } from '@quire/core';

export interface Plugin {
  /** The setting with the path of its module. */
  readonly key: string;
  readonly path: string;
  /** The name of the exported function. */
  readonly exportName: string;
}

/**
 * Returns a function that a plug-in module exports.
 *
 * @throws INVALID_SETTING when the module cannot be loaded or does not export the function
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
    `${assignment}: the module does not export a function ${exportName}.`,
  );
}
