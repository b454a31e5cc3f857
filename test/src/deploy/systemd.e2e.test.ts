import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { describeWithTool, systemdAnalyze } from '../testkit/toolchain.ts';

const config = join(import.meta.dirname, '../../../config');

test.each(['quire-broker', 'quire-cleaner'])('%s starts a file that is published', async (name) => {
  const unit = await readFile(join(config, `${name}.service`), 'utf8');
  const [, path = ''] = /^ExecStart=.*\/@quire\/cli\/(\S+) /m.exec(unit) ?? [];
  const manifest = join(config, '../packages/cli/package.json');
  const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as {
    readonly bin: { readonly quire: string };
  };
  expect(`./${path}`).toBe(bin.quire);
});

describeWithTool(systemdAnalyze, 'the units of systemd', (program) => {
  describe.each(['quire-broker', 'quire-cleaner'])('%s', (name) => {
    test('the unit is valid, and exposes little of the machine', async () => {
      await using directory = await temporaryDirectory();
      const path = join(directory.path, `${name}.service`);
      const unit = await readFile(join(config, `${name}.service`), 'utf8');
      // Uses the path of Node on this machine, because verify looks for the program.
      await writeFile(path, unit.replace('/usr/bin/node', process.execPath));
      const run = (...args: readonly string[]) => spawnSync(program, args, { encoding: 'utf8' });
      const verified = run('verify', '--man=no', path);
      expect([verified.status, verified.stderr]).toEqual([0, '']);
      // On a scale of 100, where 96 is a unit without any protection; Node's compiler and the
      // network cost the rest.
      const { status, stdout } = run('security', '--offline=true', '--threshold=20', path);
      expect([status, stdout.trim().split('\n').at(-1)]).toEqual([0, expect.any(String)]);
    });

    test('the unit with a misspelt directive, or without its protection, would be found', async () => {
      await using directory = await temporaryDirectory();
      const path = join(directory.path, `${name}.service`);
      const unit = await readFile(join(config, `${name}.service`), 'utf8');
      await writeFile(path, unit.replace('ProtectClock', 'ProtectTheClock'));
      expect(
        spawnSync(program, ['verify', '--man=no', path], { encoding: 'utf8' }).stderr,
      ).toContain('ProtectTheClock');
      await writeFile(path, unit.replaceAll(/^(?:Protect|SystemCall|Capability).*\n/gm, ''));
      const args = ['security', '--offline=true', '--threshold=20', path];
      expect(spawnSync(program, args).status).not.toBe(0);
    });
  });
});
