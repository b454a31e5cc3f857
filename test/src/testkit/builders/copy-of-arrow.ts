import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const nodeModules = join(import.meta.dirname, '../../../../node_modules');

/** Installs apache-arrow a second time, in `folder`; returns the path to import. */
export function copyOfArrow(folder: string): string {
  const source = join(nodeModules, 'apache-arrow');
  const target = join(folder, 'node_modules/apache-arrow');
  // Files for browsers and compilers are four fifths of it.
  cpSync(source, target, { recursive: true, filter: (path) => !/\.(map|ts|min\.js)$/u.test(path) });
  const { dependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    dependencies: object;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(nodeModules, name), link);
  }
  return join(target, 'Arrow.node.mjs');
}
