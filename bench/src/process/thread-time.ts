import { readdir, readFile } from 'node:fs/promises';

/** The processor time of a process so far, in milliseconds. */
export interface ThreadTimes {
  /** That of its main thread. */
  readonly mainMs: number;
  /** That of all its threads that run now. */
  readonly allMs: number;
}

/** Reads the processor times of a process's threads, which the kernel counts in nanoseconds. */
export async function readThreadTimes(pid: number): Promise<ThreadTimes> {
  const directory = `/proc/${pid}/task`;
  const times = await Promise.all(
    (await readdir(directory)).map(async (thread) => {
      const text = await readFile(`${directory}/${thread}/schedstat`, 'utf8').catch(() => '0');
      return { isMain: Number(thread) === pid, ms: Number(text.split(' ')[0]) / 1e6 };
    }),
  );
  return {
    mainMs: times.find(({ isMain }) => isMain)?.ms ?? 0,
    allMs: times.reduce((sum, { ms }) => sum + ms, 0),
  };
}
