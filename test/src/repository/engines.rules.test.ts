import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { subset } from 'semver';
import { expect, test } from 'vitest';
import { packageNode } from './plan.ts';

interface LockEntry {
  readonly version?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
}

test('every dependency of the packages runs on all versions of Node that the packages promise', () => {
  const lock = readFileSync(join(import.meta.dirname, '../../../package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as {
    readonly packages: Readonly<Record<string, LockEntry>>;
  };
  const foreign = Object.entries(packages).filter(([path, { dev, link }]) => {
    return path.includes('node_modules/') && dev !== true && link !== true;
  });
  expect(foreign.length).toBeGreaterThan(100);
  const unfit = foreign.flatMap(([path, { version, engines }]) => {
    return subset(packageNode, engines?.node ?? '*')
      ? []
      : [`${path} ${version} needs Node ${engines?.node}`];
  });
  expect(unfit).toEqual([]);
});
