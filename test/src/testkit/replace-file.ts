import { rename, writeFile } from 'node:fs/promises';

/**
 * Replaces a file that a server watches, as an operator should: whole, by renaming another one over
 * it. One that is written in place is empty for a moment, in which the server may read it.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}
