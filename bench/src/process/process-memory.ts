import { readFile, writeFile } from 'node:fs/promises';

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
export async function readFamilyMemory(pid: number): Promise<number> {
  const { residentBytes } = await readProcessMemory(pid);
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
    .split(' ')
    .filter((text) => text !== '');
  const others = await Promise.all(children.map((child) => readFamilyMemory(Number(child))));
  return others.reduce((sum, bytes) => sum + bytes, residentBytes);
}

/**
 * The most that a process and those that it has running now each had in memory since they started,
 * added up.
 */
export async function readFamilyPeak(pid: number): Promise<number> {
  const { peakBytes } = await readProcessMemory(pid);
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
    .split(' ')
    .filter((text) => text !== '');
  const others = await Promise.all(children.map((child) => readFamilyPeak(Number(child))));
  return others.reduce((sum, bytes) => sum + bytes, peakBytes);
}

/** Lets the peaks of a process and of all that it has running begin again at what each has now. */
export async function resetFamilyPeak(pid: number): Promise<void> {
  await resetPeak(pid);
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
    .split(' ')
    .filter((text) => text !== '');
  for (const child of children) await resetFamilyPeak(Number(child));
}

/** Lets the peak of a process begin again at what it has now. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

function kilobytes(status: string, name: string): number {
  const match = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status);
  if (match === null) {
    throw new Error(`The system does not tell ${name} of a process: this needs Linux.`);
  }
  return Number(match[1]);
}
