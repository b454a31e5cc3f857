import { readFile, writeFile } from 'node:fs/promises';
import { childrenOf, sumOverFamily, unlessEnded } from './process-family.ts';

export interface ProcessMemory {
  /** The current memory of the process. */
  readonly residentBytes: number;
  /** The peak since the start, or since `resetPeak`. */
  readonly peakBytes: number;
}

/** Reads the memory of a process as Linux reports it. */
export async function readProcessMemory(pid: number): Promise<ProcessMemory> {
  return parseMemory(await readFile(`/proc/${pid}/status`, 'utf8'));
}

/** Parses the file `status` of a process (man page proc_pid_status(5)). */
export function parseMemory(status: string): ProcessMemory {
  return {
    residentBytes: kilobytes(status, 'VmRSS') * 1024,
    peakBytes: kilobytes(status, 'VmHWM') * 1024,
  };
}

/**
 * Returns the current memory of a process and all its descendants; shared memory counts for each.
 */
export function readFamilyMemory(pid: number): Promise<number> {
  return sumOverFamily(pid, async (each) => (await readProcessMemory(each)).residentBytes);
}

/**
 * Returns the sum of the peaks of a process and of its running descendants, each since its start.
 */
export function readFamilyPeak(pid: number): Promise<number> {
  return sumOverFamily(pid, async (each) => (await readProcessMemory(each)).peakBytes);
}

/** Resets the peaks of a process and of all its running descendants to their current memory. */
export async function resetFamilyPeak(pid: number): Promise<void> {
  await resetPeak(pid);
  for (const child of await childrenOf(pid)) await unlessEnded(resetFamilyPeak(child));
}

/** Resets the peak of a process to its current memory. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

function kilobytes(status: string, name: string): number {
  // A process that is ending, or whose parent has not reaped it, has no memory, whatever its state.
  if (/^Pid:/m.test(status) && !/^Vm/m.test(status)) return 0;
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status);
  if (match === null) {
    throw new Error(`The system does not report ${name} of a process; Linux is required.`);
  }
  return Number(match[1]);
}
