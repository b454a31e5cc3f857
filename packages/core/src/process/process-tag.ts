import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Whether the process that left something runs; known only of processes of this machine. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

const tagPattern = /^(\d{1,10})-(\d{1,20})-([0-9a-f]{12})$/;

let own: { readonly pid: number; readonly tag: string } | undefined;

/**
 * Names this process, for the names of what it leaves lying while it works: process id, start time,
 * and a digest of where process ids mean the same (host name, boot, process namespace). Letters,
 * digits and dashes; no other process on earth has the same.
 */
export function processTag(): string {
  if (own?.pid !== process.pid) {
    own = {
      pid: process.pid,
      tag: `${process.pid}-${startTicksOf(process.pid) ?? 0}-${hostTag()}`,
    };
  }
  return own.tag;
}

/** The process id in a tag; undefined for a text that is not one. */
export function pidOfTag(tag: string): number | undefined {
  const pid = tagPattern.exec(tag)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/**
 * Whether the process of a tag still runs. `unknown` when it was started on another host, before a
 * reboot or in another container, and where the system does not tell when a process was started and
 * one of that id runs: nobody may take that for dead.
 */
export function stateOfOwner(tag: string): OwnerState {
  const [, pidText, startTicks, where] = tagPattern.exec(tag) ?? [];
  if (pidText === undefined || where !== hostTag()) return 'unknown';
  const pid = Number(pidText);
  const nowTicks = startTicksOf(pid);
  if (nowTicks !== undefined) return nowTicks === startTicks ? 'alive' : 'dead';
  return isRunning(pid) ? 'unknown' : 'dead';
}

/**
 * When a process was started, in ticks since boot; undefined when it has ended, or the system does
 * not tell.
 */
function startTicksOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold anything; after it come the state and, 19 fields
    // on, the start time: proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  // Where there is /proc, a process that is not in it does not run, or only waits for its parent to
  // take note of its end.
  if (startTicksOf(process.pid) !== undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

let hostDigest: string | undefined;

/** Where process ids mean what they mean here. */
function hostTag(): string {
  if (hostDigest !== undefined) return hostDigest;
  const boot = textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
  const namespace = textOf(() => readlinkSync('/proc/self/ns/pid'));
  hostDigest = createHash('sha256')
    .update([hostname(), boot, namespace].join('\n'))
    .digest('hex')
    .slice(0, 12);
  return hostDigest;
}

function textOf(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
