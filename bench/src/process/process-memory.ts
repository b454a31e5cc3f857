import { readFile, writeFile } from 'node:fs/promises';
import { childrenOf, sumOverFamily, unlessEnded } from './process-family.ts';

export interface ProcessMemory {
  /** What the process has in memory now. */
  readonly residentBytes: number;
  /** The most that it had since the start, or since `resetPeak`. */
  readonly peakBytes: number;
}

/** What Linux says of a process's memory. */
export async function readProcessMemory(pid: number): Promise<ProcessMemory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return {
    residentBytes: kilobytes(status, 'VmRSS') * 1024,
    peakBytes: kilobytes(status, 'VmHWM') * 1024,
  };
}

/**
 * What a process and all that it has started have in memory now; what several share counts for
 * each.
 */
export function readFamilyMemory(pid: number): Promise<number> {
  return sumOverFamily(pid, async (each) => (await readProcessMemory(each)).residentBytes);
}

/**
 * The most that a process and those that it has running now each had in memory since they started,
 * added up.
 */
export function readFamilyPeak(pid: number): Promise<number> {
  return sumOverFamily(pid, async (each) => (await readProcessMemory(each)).peakBytes);
}

/** Lets the peaks of a process and of all that it has running begin again at what each has now. */
export async function resetFamilyPeak(pid: number): Promise<void> {
  await resetPeak(pid);
  for (const child of await childrenOf(pid)) await unlessEnded(resetFamilyPeak(child));
}

/** Lets the peak of a process begin again at what it has now. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

function kilobytes(status: string, name: string): number {
  // One that has ended, and whose parent has not taken note of it, has no memory any more.
  if (/^State:\s+[ZX]/m.test(status)) return 0;
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status);
  if (match === null) {
    throw new Error(`The system does not tell ${name} of a process: this needs Linux.`);
  }
  return Number(match[1]);
}
