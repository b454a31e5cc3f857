import { readFile } from 'node:fs/promises';

/** The sum of what a reader gives of a process and of all that it has running, down to the last. */
export async function sumOverFamily(
  pid: number,
  read: (pid: number) => Promise<number>,
): Promise<number> {
  const own = await read(pid);
  const others = await Promise.all(
    (await childrenOf(pid)).map((child) => unlessEnded(sumOverFamily(child, read))),
  );
  return others.reduce<number>((sum, value) => sum + (value ?? 0), own);
}

/** The processes that a process has running. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text
    .split(' ')
    .filter((each) => each !== '')
    .map(Number);
}

/** Resolves to a file of a process; to undefined if the process has ended since its parent was read. */
export async function unlessEnded<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
