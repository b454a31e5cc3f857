import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileCacheOf } from '../testkit/cli-process.ts';
import type { PublishedPackages } from './published-packages.ts';

const settings = `
engine.broker.client.queryPort = 0
engine.broker.pagination.protocol = file
engine.broker.pagination.file.data.dir = results
engine.auth.principal.admin.role = admin
engine.auth.principal.admin.token.env = ADMIN_TOKEN
`;

/**
 * Tests `npx @quire/cli start` as a supervisor sees it: npx is between its signals and the server.
 */
export function testSignalsThroughNpx(publishedOf: () => PublishedPackages): void {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'end a server cleanly that `npx @quire/cli start` runs, on %s',
    async (signal) => {
      const { folder } = publishedOf();
      const directory = join(folder, `served-${signal}`);
      await mkdir(directory);
      const config = join(directory, 'quire.properties');
      await writeFile(config, settings);
      // Without network: the installed version runs.
      const args = [
        '--offline',
        '--no-install',
        '@quire/cli',
        'start',
        '--roles',
        'broker',
        '--config',
        config,
      ];
      const variables = {
        PATH: process.env['PATH'],
        HOME: directory,
        ADMIN_TOKEN: 'admin-token',
        NODE_COMPILE_CACHE: compileCacheOf(folder),
      };
      const npx = spawn('npx', args, {
        cwd: folder,
        env: variables,
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const closed = once(npx, 'close');
      let output = '';
      const url = new Promise<string>((resolve, reject) => {
        const read = (text: string): void => {
          output += text;
          const [, address] = /broker +(http:\S+)[^]*Ctrl-C/.exec(output) ?? [];
          if (address !== undefined) resolve(address);
        };
        npx.stdout.setEncoding('utf8').on('data', read);
        npx.stderr.setEncoding('utf8').on('data', read);
        npx.once('close', () => reject(new Error(`It ended before it listened:\n${output}`)));
      });
      try {
        const address = await url;
        expect((await fetch(`${address}/health`)).status).toBe(200);
        // Ctrl-C signals all processes of a terminal's group; a supervisor signals the first of
        // them.
        if (signal === 'SIGINT') process.kill(-Number(npx.pid), signal);
        else npx.kill(signal);
        // Its output closes once the server has ended, and not before.
        await closed;
        expect(output).not.toContain('cut off');
        await expect(fetch(`${address}/health`)).rejects.toThrow('fetch failed');
      } finally {
        killGroup(Number(npx.pid));
      }
    },
  );
}

/** Ends the processes that a failed test has left. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
