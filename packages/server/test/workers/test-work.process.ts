/** Work for the tests of the pool, well-behaved and not. */
import { pbkdf2 } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { abortError, QuireError } from '@quire/core';
import type { WorkContext, WorkerKind } from '../../src/workers/worker-kind.ts';

export type TestWork =
  | { readonly kind: 'echo'; readonly value: unknown }
  | { readonly kind: 'pid' }
  | { readonly kind: 'setup' }
  | { readonly kind: 'directory' }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'fail' | 'fail unexpectedly' | 'crash' }
  | { readonly kind: 'wait until cancelled' }
  | { readonly kind: 'ask'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'take memory' | 'fill the heap' }
  | { readonly kind: 'block' | 'block the thread pool' };

export const workerKind: Pick<WorkerKind<string, TestWork, unknown>, 'name' | 'module' | 'open'> = {
  name: 'work',
  module: import.meta.url,
  open: async (setup) => {
    if (setup === 'cannot open') throw new QuireError('INVALID_SETTING', 'The setup is not right.');
    const directory = await mkdtemp(join(tmpdir(), 'quire-worker-'));
    return {
      directories: [directory],
      run: async (work, context) => {
        if (work.kind === 'setup') return setup;
        if (work.kind === 'directory') return directory;
        return runWork(work, context);
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
};

async function runWork(work: TestWork, { signal, call }: WorkContext): Promise<unknown> {
  switch (work.kind) {
    case 'echo':
      return work.value;
    case 'pid':
      return process.pid;
    case 'variable':
      return process.env[work.name];
    case 'fail':
      throw new QuireError('QUERY_SYNTAX', 'This is not SQL.');
    case 'fail unexpectedly':
      throw new RangeError('Nobody thought of this.');
    case 'crash':
      return process.abort();
    case 'wait until cancelled':
      await call('waiting', process.pid);
      while (!signal.aborted) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      }
      throw abortError(signal);
    case 'ask':
      return call(work.name, work.value);
    case 'take memory':
      for (const taken: Buffer[] = []; ;) taken.push(Buffer.alloc(4 * 1024 * 1024, 1));
    case 'fill the heap':
      for (const taken: object[] = []; ;) taken.push({ count: taken.length });
    case 'block':
      await call('blocking', process.pid);
      for (;;);
    case 'block the thread pool':
      for (let count = 0; count < 64; count += 1) {
        pbkdf2('a', 'b', 2 ** 31 - 1, 64, 'sha512', () => undefined);
      }
      await call('blocking', process.pid);
      return new Promise(() => undefined);
    default:
      throw new TypeError(work.kind);
  }
}
