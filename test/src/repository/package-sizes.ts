import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PublishedPackages } from './published-packages.ts';

const file = join(import.meta.dirname, '../../../packages/SIZES.md');

/** Sizes change with every commit: a table that is a tenth off is still true. */
const toleranceRatio = 0.1;

/** What somebody gets who installs one of our packages. */
interface PackageSize {
  readonly name: string;
  /** The tarball, as npm loads it. */
  readonly tarballBytes: number;
  /** Packages that it brings, ours and others, itself included. */
  readonly packageCount: number;
  /** All of them, unpacked. */
  readonly installedBytes: number;
}

interface Installed {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function measureSizes({ folder, tarballs }: PublishedPackages): readonly PackageSize[] {
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Installed>>;
  };
  const sizes = new Map<string, number>();
  const sizeOf = (path: string): number => {
    const known = sizes.get(path) ?? folderBytes(join(folder, path));
    sizes.set(path, known);
    return known;
  };
  return tarballs.map(({ manifest: { name }, sizeBytes }) => {
    const paths = closureOf(`node_modules/${name}`, lock.packages);
    const installedBytes = [...paths].reduce((sum, path) => sum + sizeOf(path), 0);
    return { name, tarballBytes: sizeBytes, packageCount: paths.size, installedBytes };
  });
}

/** A package and all that it depends on, as Node finds them from where they are installed. */
function closureOf(start: string, installed: Readonly<Record<string, Installed>>): ReadonlySet<string> {
  const paths = new Set<string>();
  const visit = (path: string): void => {
    if (paths.has(path)) return;
    paths.add(path);
    const { dependencies, optionalDependencies } = installed[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = placesOf(name, path).find((place) => place in installed);
      // What is optional may be for another platform.
      if (found !== undefined) visit(found);
    }
  };
  visit(start);
  return paths;
}

/** Where Node looks for a package from within another one, nearest first. */
function placesOf(name: string, path: string): readonly string[] {
  const parents = path
    .split('/node_modules/')
    .map((_, index, parts) => parts.slice(0, parts.length - index).join('/node_modules/'));
  return [...parents.map((parent) => `${parent}/node_modules/${name}`), `node_modules/${name}`];
}

/** Bytes of the files in a folder, without the packages that are installed inside it. */
function folderBytes(path: string): number {
  return readdirSync(path, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + folderBytes(join(path, entry.name));
    return entry.isFile() ? sum + statSync(join(path, entry.name)).size : sum;
  }, 0);
}

function render(sizes: readonly PackageSize[]): string {
  const lines = sizes.map(({ name, tarballBytes, packageCount, installedBytes }) => {
    return `| \`${name}\` | ${kilobytes(tarballBytes)} | ${packageCount} | ${megabytes(installedBytes)} |`;
  });
  return [
    '# What each package brings',
    '',
    'Written by `QUIRE_WRITE_SIZES=1 npx vitest run test/src/repository/published-packages.e2e.test.ts`, which else fails when a figure is more than a',
    'tenth off, or a count is not the same. Measured on Linux x64, in a project with all of them: the packages that one depends on,',
    "itself included, and the room that they take. DuckDB's library is most of what `@quire/engine-duckdb` and those above it take.",
    '',
    '| package | tarball (kB) | packages | installed (MB) |',
    '| --- | ---: | ---: | ---: |',
    ...lines,
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
  return new Map(Array.from(rows, ([, name = '', cells = '']) => [name, cells.split('|').map(Number)]));
}

/** Holds the table of sizes in packages/SIZES.md to what is installed. */
export function testPackageSizes(publishedOf: () => PublishedPackages): void {
  const isMeasuredHere = process.platform === 'linux' && process.arch === 'x64';
  test.runIf(isMeasuredHere)('are as large, and bring as many others, as packages/SIZES.md says', async () => {
    const text = render(measureSizes(publishedOf()));
    if (process.env['QUIRE_WRITE_SIZES'] !== undefined) await writeFile(file, text);
    const written = figuresOf(await readFile(file, 'utf8'));
    const measured = figuresOf(text);
    expect([...written.keys()]).toEqual([...measured.keys()]);
    const wrong = Array.from(measured, ([name, figures]) => ({ name, figures, written: written.get(name) })).filter((each) =>
      each.figures.some((figure, index) => {
        const tolerance = index === 1 ? 0 : figure * toleranceRatio;
        return Math.abs(figure - (each.written?.[index] ?? Number.NaN)) > tolerance;
      }),
    );
    expect(wrong).toEqual([]);
  });
}
