import { spawn } from 'node:child_process';
import { temporaryDirectory } from './cli-process.ts';

/**
 * Opens a page in a browser without a window, until disposed; or until the signal, as a test that
 * times out disposes of nothing.
 */
export async function openPage(
  program: string,
  url: string,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  const profile = await temporaryDirectory();
  signal.throwIfAborted();
  const switches = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
  ];
  // All its processes share a group, by which they are killed, and this pipe, which closes when the
  // last of them has ended.
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const browser = spawn(program, [...switches, `--user-data-dir=${profile.path}`, url], {
    stdio: [...stdio],
    detached: true,
  });
  const closed = new Promise((resolve) => browser.once('close', resolve));
  browser.stderr?.resume();
  let isKilled = false;
  const kill = (): void => {
    if (browser.pid === undefined || isKilled) return;
    isKilled = true;
    process.kill(-browser.pid, 'SIGKILL');
  };
  signal.addEventListener('abort', kill);
  return {
    [Symbol.asyncDispose]: async () => {
      kill();
      await closed;
      await profile[Symbol.asyncDispose]();
    },
  };
}
