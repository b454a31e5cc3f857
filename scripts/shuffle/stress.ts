import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Processes that keep the machine busy until they are stopped. */
export interface Stress {
  stop(): Promise<void>;
}

/** Starts processes that burn processor time, and processes that write files and flush them. */
export function startStress({
  cpuCount,
  diskCount,
  folder,
}: {
  readonly cpuCount: number;
  readonly diskCount: number;
  /** A folder for their files, which the caller removes. */
  readonly folder: string;
}): Stress {
  const program = join(import.meta.dirname, 'stress.process.ts');
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' });
    return { child, ended: once(child, 'exit') };
  };
  const children = [
    ...Array.from({ length: cpuCount }, () => start('cpu')),
    ...Array.from({ length: diskCount }, (_, index) => start('disk', join(folder, `${index}`))),
  ];
  return {
    stop: async () => {
      // They handle no signal: they never wait.
      for (const { child } of children) child.kill('SIGKILL');
      await Promise.all(children.map(({ ended }) => ended));
    },
  };
}
