import { type FileSystem, nodeFileSystem } from '@quire/store-file';

/**
 * Calls that change nothing: a kill before such a call has the same effect as a kill before the
 * next change.
 */
const onlyLook = new Set(['realPath', 'status', 'readDirectory']);

/** Reports that this writer hangs, and never continues: the process waits to be killed. */
export function hang(writer: number): Promise<never> {
  process.stdout.write(`${writer} hanging\n`);
  // Without a pending handle, the process would end by itself.
  setInterval(() => undefined, 60_000);
  return new Promise(() => undefined);
}

/** The real file system, which hangs before its n-th change and every later one; never for 0. */
export function hangingFileSystem(writer: number, changeNumber: number): FileSystem {
  let changeCount = 0;
  const steps = Object.entries(nodeFileSystem).map(([name, step]) => [
    name,
    async (...args: unknown[]) => {
      if (!onlyLook.has(name)) changeCount += 1;
      if (changeNumber > 0 && changeCount >= changeNumber) await hang(writer);
      return (step as (...args: unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return {
    ...(Object.fromEntries(steps) as FileSystem),
    statusOfOpen: (fd) => nodeFileSystem.statusOfOpen(fd),
  };
}
