import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** The platforms on which everything installs; on Linux with glibc. */
const platforms = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win32-x64'];

interface LockedPackage {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, LockedPackage>>;

const { packages: lock } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Lock;
};

/**
 * The platforms that a native dependency lacks, by its name: one is native when it has an optional
 * dependency for each of several platforms. npm leaves out of the lock file what the registry does
 * not list.
 */
function lackingPlatforms(packages: Lock): Record<string, readonly string[]> {
  const lacking: Record<string, readonly string[]> = {};
  for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
    const parts = Object.keys(optionalDependencies).map(
      (name) => packages[`${path}/node_modules/${name}`] ?? packages[`node_modules/${name}`],
    );
    const native = parts.filter((part) => part?.os !== undefined || part?.cpu !== undefined);
    const isNative = native.length > 0 && parts.length > 1;
    const missing = isNative
      ? platforms.filter(
          (platform) => !native.some((part) => part !== undefined && runsOn(part, platform)),
        )
      : [];
    if (missing.length > 0) lacking[path.replace(/^.*node_modules\//, '')] = missing;
  }
  return lacking;
}

function runsOn({ os, cpu, libc }: LockedPackage, platform: string): boolean {
  const [system = '', processor = ''] = platform.split('-');
  const isFor = (list: readonly string[] | undefined, value: string): boolean =>
    list === undefined || list.includes(value);
  return isFor(os, system) && isFor(cpu, processor) && (system !== 'linux' || isFor(libc, 'glibc'));
}

describe('every native dependency', () => {
  test('every native dependency is there for Linux and macOS on x64 and arm64, and for Windows on x64', () => {
    const natives = Object.keys(lock).filter(
      (path) => lock[path]?.optionalDependencies !== undefined,
    );
    expect(natives).toEqual(
      expect.arrayContaining(['node_modules/@duckdb/node-bindings', 'node_modules/lz4-napi']),
    );
    expect(lackingPlatforms(lock)).toEqual({});
  });

  test('every native dependency that brings all of its libraries itself brings those, too', () => {
    const bundled = Object.keys(lock).filter(
      (path) => path !== '' && existsSync(join(root, path, 'prebuilds')),
    );
    expect(bundled).toContain('node_modules/fs-native-extensions');
    for (const path of bundled) {
      expect(readdirSync(join(root, path, 'prebuilds'))).toEqual(expect.arrayContaining(platforms));
    }
  });

  test('every native dependency comes as it is: nothing of what users install is built or fetched by a script', () => {
    const built = Object.entries(lock).filter(
      ([, { dev, hasInstallScript }]) => hasInstallScript === true && dev !== true,
    );
    expect(built.map(([path]) => path)).toEqual([]);
  });

  test('every native dependency is found to lack what the registry does not list', () => {
    const part = (os: string, cpu: string, libc?: string): LockedPackage => ({
      os: [os],
      cpu: [cpu],
      ...(libc !== undefined && { libc: [libc] }),
    });
    const named = (...names: readonly string[]) => ({
      optionalDependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])),
    });
    const found = lackingPlatforms({
      'node_modules/bindings': named('linux', 'linux-arm', 'mac', 'mac-intel', 'windows'),
      'node_modules/linux': part('linux', 'x64', 'glibc'),
      'node_modules/linux-arm': part('linux', 'arm64', 'musl'),
      'node_modules/bindings/node_modules/mac': part('darwin', 'arm64'),
      'node_modules/watcher': named('mac-only'),
      'node_modules/mac-only': { os: ['darwin'] },
    });
    expect(found).toEqual({ bindings: ['linux-arm64', 'darwin-x64', 'win32-x64'] });
  });
});
