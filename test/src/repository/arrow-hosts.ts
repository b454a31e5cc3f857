import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copyOfArrow } from '../testkit/builders/copy-of-arrow.ts';
import { arrowVersions, describeWithTool } from '../testkit/toolchain.ts';
import type { PublishedPackages } from './published-packages.ts';

/** Rows of a page that `arrow-host.process.ts` prints, created by any copy of apache-arrow. */
const rows =
  '[[1,9223372036854775807,0.1,"größer","red","2023-11-14 22:13:20.123",[1,null]],' +
  '[null,null,null,null,null,null,null],[-3,0,"NaN","","red","1970-01-01 00:00:00.0",[]]]';

/** Tests hosts that use the packages with their own copy of apache-arrow, imported or required. */
export function describeArrowHosts(publishedOf: () => PublishedPackages): void {
  /**
   * Runs a host in a folder of its own, where it finds its own copy before that of the packages.
   */
  async function runHost(
    name: string,
    install: (folder: string) => Promise<unknown>,
  ): Promise<Record<string, string>> {
    const folder = join(publishedOf().folder, 'hosts', name);
    await mkdir(join(folder, 'node_modules'), { recursive: true });
    await install(folder);
    await copyFile(join(publishedOf().folder, 'arrow-host.js'), join(folder, 'arrow-host.js'));
    const output = await publishedOf().run(process.execPath, join(folder, 'arrow-host.js'));
    return JSON.parse(output) as Record<string, string>;
  }

  describe('store what a host made with a copy of apache-arrow of its own', () => {
    test('the published packages store what a host made with a copy of apache-arrow of its own of the same version', async () => {
      const answer = await runHost('second-copy', (folder) => Promise.resolve(copyOfArrow(folder)));
      expect(answer).toEqual({
        path: expect.stringContaining('/second-copy/'),
        imported: rows,
        required: rows,
      });
    });
  });

  describeWithTool(
    arrowVersions,
    'store what a host made with its own version of apache-arrow',
    (modules) => {
      const names = readdirSync(modules).filter((name) => name.startsWith('apache-arrow-'));

      test.each(names)(
        'the published packages store what a host made with its own version of apache-arrow: %s',
        async (name) => {
          const answer = await runHost(name, (folder) =>
            symlink(join(modules, name), join(folder, 'node_modules/apache-arrow')),
          );
          expect(answer).toEqual({
            path: expect.stringContaining(`/${name}/`),
            imported: rows,
            required: rows,
          });
        },
      );
    },
  );
}
