import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtPackages, describeWithTool, oldestNode } from '../toolchain.ts';
import { PublishedPackages } from './published-packages.ts';

const run = promisify(execFile);
const nodeModules = join(import.meta.dirname, '../../../node_modules');

describeWithTool(builtPackages, 'the published packages', (packages) => {
  let published: PublishedPackages;
  let compilerOutput: string;

  beforeAll(async () => {
    published = await PublishedPackages.install(packages);
    const { folder } = published;
    await copyFile(join(import.meta.dirname, 'stranger.process.ts'), join(folder, 'stranger.ts'));
    await writeFile(join(folder, 'imports.mjs'), published.entries.map((entry) => `await import('${entry}');\n`).join(''));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { strict: true, target: 'es2023', module: 'nodenext', skipLibCheck: false, types: ['node'] },
        include: ['*.ts'],
      }),
    );
    for (const each of ['@types', 'undici-types']) {
      await symlink(join(nodeModules, each), join(folder, 'node_modules', each));
    }
    compilerOutput = await runProgram(process.execPath, join(nodeModules, 'typescript/bin/tsc')).catch(String);
  });

  afterAll(() => {
    published[Symbol.dispose]();
  });

  /** Runs a program in the folder as a stranger would: without our condition in the environment. */
  async function runProgram(program: string, ...args: string[]): Promise<string> {
    const { stdout } = await run(program, args, { cwd: published.folder, env: { PATH: '/usr/bin:/bin' } });
    return stdout;
  }

  test('compile with a stranger who uses their types', () => {
    expect(compilerOutput).toBe('');
  });

  const programs = (node: string): void => {
    test('can all be imported', async () => {
      expect(published.entries.length).toBeGreaterThan(11);
      expect(await runProgram(node, 'imports.mjs')).toBe('');
    });

    test('run a query, store its result and serve a page of it', async () => {
      expect(await runProgram(node, 'stranger.js')).toBe('[[2],[3]]\n');
    });

    test('bring the command', async () => {
      expect(await runProgram(node, 'node_modules/@quire/cli/dist/main.js', '--help')).toContain('Usage: quire');
    });
  };

  describe('on the Node of the project', () => {
    programs(process.execPath);
  });

  describeWithTool(oldestNode, 'on the oldest Node', programs);
});
