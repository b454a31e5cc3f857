import { type FileSystem, nodeFileSystem } from '@quire/store-file';

/** Calls that change nothing: to die before one is to die before the next that does. */
const onlyLook = new Set(['realPath', 'status', 'readDirectory']);

/** Says `hanging` and never goes on: the process waits to be killed. */
export function hang(): Promise<never> {
  process.stdout.write('hanging\n');
  // Without something to wait for, the process would end by itself.
  setInterval(() => undefined, 60_000);
  return new Promise(() => undefined);
}

/** The real file system, which hangs before its n-th change. */
export function hangingFileSystem(changeNumber: number): FileSystem {
  let changeCount = 0;
  const steps = Object.entries(nodeFileSystem).map(([name, step]) => [
    name,
    async (...args: unknown[]) => {
      if (!onlyLook.has(name)) changeCount += 1;
      if (changeCount === changeNumber) await hang();
      return (step as (...args: unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return { ...(Object.fromEntries(steps) as FileSystem), statusOfOpen: (fd) => nodeFileSystem.statusOfOpen(fd) };
}
