import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a directory for one test; disposing deletes it. */
export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'quire-streams-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
