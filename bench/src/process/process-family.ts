import { readFile } from 'node:fs/promises';

/** Returns the sum of a reading over a process and all its running descendants. */
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

/** Returns the running child processes of a process. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text
    .split(' ')
    .filter((each) => each !== '')
    .map(Number);
}

/**
 * Resolves to the content of a file of a process; to undefined if the process has ended in the
 * meantime.
 */
export async function unlessEnded<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
