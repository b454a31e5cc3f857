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
export function readFamilyMemory(pid: number): Promise<number> {
  return sumOverFamily(pid, ({ residentBytes }) => residentBytes);
}

/**
 * The most that a process and those that it has running now each had in memory since they started,
 * added up.
 */
export function readFamilyPeak(pid: number): Promise<number> {
  return sumOverFamily(pid, ({ peakBytes }) => peakBytes);
}

async function sumOverFamily(
  pid: number,
  bytesOf: (memory: ProcessMemory) => number,
): Promise<number> {
  const own = bytesOf(await readProcessMemory(pid));
  const others = await Promise.all(
    (await childrenOf(pid)).map((child) => unlessEnded(sumOverFamily(child, bytesOf))),
  );
  return others.reduce<number>((sum, bytes) => sum + (bytes ?? 0), own);
}

/** Lets the peaks of a process and of all that it has running begin again at what each has now. */
export async function resetFamilyPeak(pid: number): Promise<void> {
  await resetPeak(pid);
  for (const child of await childrenOf(pid)) await unlessEnded(resetFamilyPeak(child));
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text
    .split(' ')
    .filter((each) => each !== '')
    .map(Number);
}

/** A process may end between the look at its parent and the look at it. */
async function unlessEnded<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
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
