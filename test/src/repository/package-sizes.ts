import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closureOf, type Lock } from '../../../scripts/pack-packages.ts';
import type { PublishedPackages } from './published-packages.ts';

const file = join(import.meta.dirname, '../../../packages/SIZES.md');

/** Sizes change with every commit: a table that deviates by a tenth is still correct. */
const toleranceRatio = 0.1;

/** The installed size of one of Quire's packages. */
interface PackageSize {
  readonly name: string;
  /** The tarball, as npm loads it. */
  readonly tarballBytes: number;
  /** The packages that an installation contains: ours and others, including itself. */
  readonly packageCount: number;
  /** All of them, unpacked. */
  readonly installedBytes: number;
}

/** A package that an installation of the largest one contains. */
interface HeavyPackage {
  readonly name: string;
  readonly installedBytes: number;
  /** Packages that depend on it. */
  readonly dependents: readonly string[];
}

interface Measured {
  readonly sizes: readonly PackageSize[];
  /** The largest dependencies of the largest package, largest first. */
  readonly heaviest: readonly HeavyPackage[];
}

const heaviestCount = 10;
/** The package with most dependencies: those of the command are in its bundle. */
const largest = '@quire/server';

function measureSizes({ folder, tarballs }: PublishedPackages): Measured {
  const lock = JSON.parse(
    readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'),
  ) as Lock;
  const sizes = new Map<string, number>();
  const sizeOf = (path: string): number => {
    const known = sizes.get(path) ?? folderBytes(join(folder, path));
    sizes.set(path, known);
    return known;
  };
  const measured = tarballs.map(({ manifest: { name }, sizeBytes }) => {
    const paths = closureOf(`node_modules/${name}`, lock.packages);
    const installedBytes = [...paths].reduce((sum, path) => sum + sizeOf(path), 0);
    return { name, tarballBytes: sizeBytes, packageCount: paths.size, installedBytes };
  });
  const paths = [...closureOf(`node_modules/${largest}`, lock.packages)];
  const heaviest = paths
    .toSorted((one, other) => sizeOf(other) - sizeOf(one))
    .slice(0, heaviestCount);
  return {
    sizes: measured,
    heaviest: heaviest.map((path) => {
      const name = nameOf(path);
      const dependents = paths.filter((other) => {
        const { dependencies, optionalDependencies } = lock.packages[other] ?? {};
        return name in { ...dependencies, ...optionalDependencies };
      });
      return { name, installedBytes: sizeOf(path), dependents: dependents.map(nameOf).toSorted() };
    }),
  };
}

function nameOf(path: string): string {
  return path.replace(/^.*node_modules\//, '');
}

/** Bytes of the files in a folder, without the packages that are installed inside it. */
function folderBytes(path: string): number {
  return readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.isDirectory()) {
      return entry.name === 'node_modules' ? sum : sum + folderBytes(join(path, entry.name));
    }
    return entry.isFile() ? sum + statSync(join(path, entry.name)).size : sum;
  }, 0);
}

function render({ sizes, heaviest }: Measured): string {
  const lines = sizes.map(({ name, tarballBytes, packageCount, installedBytes }) => {
    return `| \`${name}\` | ${kilobytes(tarballBytes)} | ${packageCount} | ${megabytes(installedBytes)} |`;
  });
  return [
    '# Package sizes',
    '',
    'Written by `QUIRE_WRITE_SIZES=1 npx vitest run test/src/repository/published-packages.e2e.test.ts`. Without that variable, the test fails if a figure is more than a',
    'tenth off or a count differs. Measured on Linux x64, in a project with all packages: the number of packages that each depends on,',
    "itself included, and their disk space. DuckDB's library is most of the size of `@quire/engine-duckdb` and the packages above it.",
    '',
    '| package | tarball (kB) | packages | installed (MB) |',
    '| --- | ---: | ---: | ---: |',
    ...lines,
    '',
    `## The ten heaviest of \`${largest}\``,
    '',
    'The roles, stores and streams of the settings need them, except for three that other packages depend on without a use here: `web-streams-polyfill` is for',
    'runtimes without web streams, `protobufjs` for schema registries of Kafka, `@types/node` for compilers. Only the installing project can omit those',
    'three, by `overrides` of npm. If you do not need every role, install fewer packages: see [Installation](README.md#installation).',
    '',
    '| heaviest | MB | needed by |',
    '| --- | ---: | --- |',
    ...heaviest.map(({ name, installedBytes, dependents }) => {
      const [first = '', second, ...others] = dependents;
      const more = others.length === 0 ? '' : ` and ${others.length} more`;
      return `| ${name} | ${megabytes(installedBytes)} | ${[first, ...(second === undefined ? [] : [second])].join(', ')}${more} |`;
    }),
    '',
  ].join('\n');
}

function kilobytes(bytes: number): string {
  return String(Number((bytes / 1e3).toPrecision(3)));
}

function megabytes(bytes: number): string {
  return String(Number((bytes / 1e6).toPrecision(2)));
}

/** The figures of the table, by package: kB, packages, MB. */
function figuresOf(text: string): ReadonlyMap<string, readonly number[]> {
  const rows = text.matchAll(/^\| `(\S+)` +\|(.*)\|$/gm);
  return new Map(
    Array.from(rows, ([, name = '', cells = '']) => [name, cells.split('|').map(Number)]),
  );
}

/** The names in the table of the heaviest packages. */
function heavyNamesOf(text: string): readonly string[] {
  const [, table = ''] = text.split('| heaviest');
  return Array.from(table.matchAll(/^\| ([^\s|]+) +\| +[\d.]+ \|/gm), ([, name = '']) => name);
}

/** Compares the table of sizes in packages/SIZES.md with the installed files. */
export function testPackageSizes(publishedOf: () => PublishedPackages): void {
  const isMeasuredHere = process.platform === 'linux' && process.arch === 'x64';
  test.runIf(isMeasuredHere)(
    'are as large, and bring as many others, as packages/SIZES.md says',
    async () => {
      const { sizes, heaviest } = measureSizes(publishedOf());
      const text = render({ sizes, heaviest });
      if (process.env['QUIRE_WRITE_SIZES'] !== undefined) {
        await writeFile(file, text);
        // The format check refuses a table that is not laid out as by the formatter.
        spawnSync('npx', ['oxfmt', file], { stdio: 'inherit' });
      }
      const written = figuresOf(await readFile(file, 'utf8'));
      const measured = figuresOf(text);
      expect([...written.keys()]).toEqual([...measured.keys()]);
      const wrong = Array.from(measured, ([name, figures]) => ({
        name,
        figures,
        written: written.get(name),
      })).filter((each) =>
        each.figures.some((figure, index) => {
          const tolerance = index === 1 ? 0 : figure * toleranceRatio;
          return Math.abs(figure - (each.written?.[index] ?? Number.NaN)) > tolerance;
        }),
      );
      expect(wrong).toEqual([]);
      expect(heavyNamesOf(await readFile(file, 'utf8'))).toEqual(heaviest.map(({ name }) => name));
    },
  );
}
