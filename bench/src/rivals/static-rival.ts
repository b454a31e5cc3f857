import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rival } from './rival.ts';

/**
 * Serves exactly the bytes that Quire would, from a file for each offset: no server of the same
 * kind can be faster.
 */
export async function openStaticRival(directory: string): Promise<Rival> {
  return {
    page: ({ offset }) => readFile(join(directory, String(offset))),
    close: () => Promise.resolve(),
  };
}
