import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The state of the process that left a file behind; known only for processes of this machine. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

const tagPattern = /^(\d{1,10})-(\d{1,20})-([0-9a-f]{12})$/;

let own: { readonly pid: number; readonly tag: string } | undefined;

/**
 * Returns the name of this process for use in file names: process id, start time, and a digest of
 * the host name, boot and process namespace. It has only letters, digits and dashes, and is
 * globally unique.
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

/** Returns the process id in a tag; undefined for a text that is not one. */
export function pidOfTag(tag: string): number | undefined {
  const pid = tagPattern.exec(tag)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/**
 * Returns the state of the process of a tag. `unknown` if it was started on another host, before a
 * reboot or in another container, or if the system does not report start times and a process with
 * that id is running. An unknown process must not be treated as dead.
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
 * Returns the start time of a process in ticks since boot; undefined when it has ended, or the
 * system does not report it.
 */
function startTicksOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may contain anything. The state follows it, and the start time
    // 19 fields later: proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  // On systems with /proc, a process that is not listed has ended, or is a zombie.
  if (startTicksOf(process.pid) !== undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

let hostDigest: string | undefined;

/** Returns the tag of the scope in which process ids are unique. */
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
