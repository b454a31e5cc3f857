/**
 * Ends this process when its parent has ended, or its resident memory exceeds the limit. It is a
 * separate thread that makes no blocking call: it works even if the event loop, libuv's pool or
 * native code are stuck.
 */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchdogData } from './watchdog.ts';

/**
 * The interval of checks. Memory grows by at most some 600 MB a second, so by some 12 MB between
 * two checks.
 */
const busyEveryMs = 20;
const idleEveryMs = 500;

const { parentPid, memoryMaxBytes, exitReasonFd, isBusy } = workerData as WatchdogData;
const busy = new Int32Array(isBusy);

for (;;) {
  const isWorking = Atomics.load(busy, 0);
  Atomics.wait(busy, 0, isWorking, isWorking === 1 ? busyEveryMs : idleEveryMs);
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > memoryMaxBytes) {
    writeSync(exitReasonFd, 'memory');
    process.kill(process.pid, 'SIGKILL');
  }
}
