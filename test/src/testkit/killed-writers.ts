import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * Runs a program with one writer for each of its JSON arguments, and kills it once every one of
 * them hangs or has finished: starting a process for each would take longer than all their writes.
 * Writers print `<index> hanging` or `<index> done` on a line of its own.
 *
 * @param hanging settles when the writer of that index hangs, if the writer itself cannot know it
 * @returns for each writer, true if it had finished
 */
export async function killWriters(
  script: string,
  writers: readonly object[],
  hanging: readonly Promise<unknown>[] = [],
): Promise<readonly boolean[]> {
  const args = [
    '--conditions=@quire/source',
    script,
    ...writers.map((writer) => JSON.stringify(writer)),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const ends = writers.map((_, index) => {
    const end = Promise.withResolvers<boolean>();
    void hanging[index]?.then(() => end.resolve(false));
    return end;
  });
  createInterface(child.stdout).on('line', (line) => {
    const [index, word] = line.split(' ');
    ends[Number(index)]?.resolve(word === 'done');
  });
  const endedEarly = exited.then(([code]) =>
    Promise.reject(new Error(`The writers ended with ${String(code)}.`)),
  );
  try {
    return await Promise.race([Promise.all(ends.map(({ promise }) => promise)), endedEarly]);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/**
 * Kills writers before their first, second … change, until one completes.
 *
 * @param writersAtOnce how many share a process
 * @param kill runs writers that hang before these changes, and resolves to what each left, and
 * whether it had finished
 */
export async function killEverywhere<Left>(
  writersAtOnce: number,
  kill: (
    changes: readonly number[],
  ) => Promise<readonly { readonly isDone: boolean; readonly left: Left }[]>,
): Promise<readonly Left[]> {
  const all: Left[] = [];
  for (let first = 1; ; first += writersAtOnce) {
    for (const { isDone, left } of await kill(
      Array.from({ length: writersAtOnce }, (_, index) => first + index),
    )) {
      all.push(left);
      if (isDone) return all;
    }
  }
}
