import { appendFileSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runBulkTask } from '../src/bulk-work.ts';
import { DirectoryCache } from '../src/directory-cache.ts';
import { createTemporaryRoot } from './temporary-root.ts';

/** A time at which the last change of every directory was long ago. */
const laterMs = Date.UTC(2200, 0, 1);

/** Returns the content of directories of one level, as a listing would: name, bytes. */
function look(paths: readonly string[], cache: DirectoryCache, nowMs = laterMs): unknown[] {
  const [directory, names] = [
    dirname(paths[0] ?? ''),
    paths.map((path) => basename(path)).join('/'),
  ];
  const seen = runBulkTask({ kind: 'list', directory, names, isChecking: false, nowMs }, cache);
  if (typeof seen !== 'object') throw new Error('A look shows nothing.');
  let start = 0;
  return paths.map((_, index) => {
    const count = seen.fileCounts[index] ?? 0;
    if (count < 0) return 'look closer';
    const files = Array.from({ length: count }, (_unused, file) => [
      seen.names[start + file],
      seen.sizesBytes[start + file],
    ]);
    start += count;
    return files.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  });
}

/**
 * Makes a change whose time differs from that of the change before: the clock of the system may not
 * advance for some milliseconds.
 */
function change(directory: string, make: () => void): void {
  const before = lstatSync(directory, { throwIfNoEntry: false })?.ctimeMs;
  make();
  const probe = join(directory, 'probe');
  for (
    let after = before;
    after === before;
    after = lstatSync(directory, { throwIfNoEntry: false })?.ctimeMs
  ) {
    if (before === undefined || lstatSync(directory, { throwIfNoEntry: false }) === undefined) {
      return;
    }
    writeFileSync(probe, '');
    rmSync(probe);
  }
}

describe('directories that were looked into before', () => {
  test('directories that were looked into before are not read again while they are unchanged', async () => {
    await using temporary = await createTemporaryRoot();
    const cache = new DirectoryCache();
    writeFileSync(join(temporary.path, 'k'), 'four');
    expect(look([temporary.path], cache)).toEqual([[['k', 4]]]);
    // No writer of objects changes bytes in place: the test does, to detect whether the file was
    // read.
    appendFileSync(join(temporary.path, 'k'), 'more');
    expect(look([temporary.path], cache)).toEqual([[['k', 4]]]);
  });

  test('directories that were looked into before are read again after some time, whatever they say of themselves', async () => {
    await using temporary = await createTemporaryRoot();
    const cache = new DirectoryCache();
    writeFileSync(join(temporary.path, 'k'), 'four');
    look([temporary.path], cache);
    appendFileSync(join(temporary.path, 'k'), 'more');
    const looks = Array.from({ length: 24 }, () => look([temporary.path], cache));
    expect(looks.at(-1)).toEqual([[['k', 8]]]);
  });

  test('directories that were looked into before are read again when they have changed a moment ago: the next change might have the same time', async () => {
    await using temporary = await createTemporaryRoot();
    const cache = new DirectoryCache();
    writeFileSync(join(temporary.path, 'k'), 'four');
    const nowMs = lstatSync(temporary.path).ctimeMs;
    look([temporary.path], cache, nowMs);
    appendFileSync(join(temporary.path, 'k'), 'more');
    expect(look([temporary.path], cache, nowMs)).toEqual([[['k', 8]]]);
  });

  test('whatever comes and goes in directories that were looked into before, they are seen as by one who remembers nothing', async () => {
    const step = fc.record({
      directory: fc.constantFrom('d1', 'd2', 'd3'),
      kind: fc.constantFrom('put', 'put', 'remove', 'remove all', 'make directory'),
      name: fc.constantFrom('data.arrow', '1-2-3.json', '1-3-3.json'),
      sizeBytes: fc.integer({ min: 0, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        await using temporary = await createTemporaryRoot();
        const cache = new DirectoryCache();
        const paths = ['d1', 'd2', 'd3'].map((name) => join(temporary.path, name));
        for (const { directory: name, kind, ...file } of steps) {
          const directory = join(temporary.path, name);
          const path = join(directory, file.name);
          change(directory, () => {
            if (kind === 'remove all') return rmSync(directory, { recursive: true, force: true });
            if (kind === 'remove') return rmSync(path, { recursive: true, force: true });
            mkdirSync(directory, { recursive: true });
            if (kind === 'make directory') {
              return void mkdirSync(join(directory, 'deeper'), { recursive: true });
            }
            writeFileSync(join(temporary.path, 'staged'), 'x'.repeat(file.sizeBytes));
            return renameSync(join(temporary.path, 'staged'), path);
          });
          expect(look(paths, cache)).toEqual(look(paths, new DirectoryCache()));
        }
      }),
      { numRuns: 30 },
    );
  });
});
