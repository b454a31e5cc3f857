import { serveParent } from '../src/process/serve-parent.ts';

const sleeper = new Int32Array(new SharedArrayBuffer(4));

serveParent(busy, () => Promise.resolve());

/** Uses `busyMs` of processor time. */
function busy(request: unknown): Promise<undefined> {
  const { busyMs } = request as { readonly busyMs: number };
  const before = process.cpuUsage();
  const spentUs = (): number => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  while (spentUs() < busyMs * 1000);
  // Linux adds the time of a thread to its count when the thread stops running.
  Atomics.wait(sleeper, 0, 0, 1);
  return Promise.resolve(undefined);
}
