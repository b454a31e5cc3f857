import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MemoryObjectStore } from '@quire/core/memory';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileFinder, previewTable } from '../../src/index.ts';
import { ManualClock } from '@quire/core/testing';

const { signal } = new AbortController();
let home: string;
let root: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quire-preview-'));
  root = join(home, 'allowed');
  await mkdir(join(root, 'deep', 'er'), { recursive: true });
  await mkdir(join(home, 'allowed-not'));
  const files = ['a.csv', 'b.csv', 'c.json', 'deep/a.csv', 'deep/er/x[1].csv'];
  for (const name of files) await writeFile(join(root, name), 'a\n1\n');
  await writeFile(join(home, 'secret.csv'), 'secret\n1\n');
  await writeFile(join(home, 'allowed-not', 'secret.csv'), 'secret\n1\n');
  await symlink(join(home, 'secret.csv'), join(root, 'link.csv'));
  await symlink(home, join(root, 'up'));
  await symlink(join(root, 'a.csv'), join(root, 'inside.csv'));
});

afterAll(() => rm(home, { recursive: true }));

/** Returns the names below the root that a pattern matches, or the code of its problem. */
async function find(pattern: string): Promise<readonly string[] | string> {
  const { files, problem } = await createFileFinder({ paths: [root] }).find(pattern, signal);
  return problem?.code ?? files.map(({ uri }) => uri.slice(root.length + 1));
}

describe('files of this machine', () => {
  test.each([
    ['a.csv', ['a.csv']],
    ['*.csv', ['a.csv', 'b.csv', 'inside.csv']],
    ['**/*.csv', ['a.csv', 'b.csv', 'deep/a.csv', 'deep/er/x[1].csv', 'inside.csv']],
    ['deep/**', ['deep/a.csv', 'deep/er/x[1].csv']],
    ['[ab].csv', ['a.csv', 'b.csv']],
    ['[!a].csv', ['b.csv']],
    ['{a,c}.{csv,json}', ['a.csv', 'c.json']],
    ['?.json', ['c.json']],
    ['./deep/../a.csv', ['a.csv']],
    ['none.csv', []],
    ['deep', []],
  ])('files of this machine: %s', async (pattern, names) => {
    expect(await find(pattern)).toEqual(names);
    expect(await find(join(root, pattern))).toEqual(names);
  });

  test('files of this machine are named by file URIs as well', async () => {
    expect(await find(pathToFileURL(join(root, 'a.csv')).href)).toEqual(['a.csv']);
    expect(await find(`file://${root}/?.csv`)).toEqual(['a.csv', 'b.csv']);
  });
});

describe('nothing outside is found, and nothing is told of it:', () => {
  test.each([
    '../secret.csv',
    '/etc/passwd',
    '/**',
    '../*',
    '../allowed-not/secret.csv',
    'deep/../../secret.csv',
    'a\0.csv',
  ])('nothing outside is found, and nothing is told of it: %j is refused', async (pattern) => {
    expect(await find(pattern)).toBe('SOURCE_NOT_ALLOWED');
  });

  test.each(['link.csv', 'up/secret.csv', 'up/*.csv', 'up/**', 'up/allowed-not/*.csv'])(
    'nothing outside is found, and nothing is told of it: %s leads out, and is as if it were not there',
    async (pattern) => {
      expect(await find(pattern)).toEqual([]);
    },
  );

  test.each([
    ['http://127.0.0.1/x', 'is neither a path nor a URI that starts with file:.'],
    ['ftp://x', 'is neither a path nor a URI that starts with file:.'],
    ['file://host/etc/passwd', 'names no file of this machine; expected file:/// and a path'],
    ['file:///a%2fb', 'names no file of this machine; expected file:/// and a path'],
    ['file:///a%00', 'names no file of this machine; expected file:/// and a path'],
    ['file:///%zz', 'names no file of this machine; expected file:/// and a path'],
  ])('%s is not a source: it %s', async (uri, reason) => {
    const { files, problem } = await createFileFinder({ paths: [root] }).find(uri, signal);
    expect(files).toEqual([]);
    expect(problem).toMatchObject({
      code: 'SOURCE_PATTERN',
      message: expect.stringContaining(`‘${uri}’ ${reason}`),
    });
  });

  test('a pattern that grows without end ends soon', async () => {
    const finder = createFileFinder({ paths: [root] });
    expect((await finder.find(`${'*a'.repeat(900)}b`, signal)).files).toEqual([]);
    expect((await finder.find('{'.repeat(1500), signal)).files).toEqual([]);
    expect((await finder.find('x'.repeat(5000), signal)).files).toEqual([]);
  });
});

describe('objects of a bucket', () => {
  async function bucket() {
    const store = new MemoryObjectStore({ sizeMaxBytes: 1024 * 1024, clock: new ManualClock() });
    for (const key of ['raw/a.csv', 'raw/2/b.csv', 'raw/c.json', 'rawer/d.csv']) {
      await store.put(key, Buffer.from('x,y\n1,2\n'));
    }
    return createFileFinder({
      schemes: ['s3', 'gs'],
      paths: [],
      buckets: [{ location: 's3://data', open: () => Promise.resolve(store) }],
    });
  }

  test.each([
    ['s3://data/raw/*.csv', ['s3://data/raw/a.csv']],
    ['s3://data/raw/**/*.csv', ['s3://data/raw/2/b.csv', 's3://data/raw/a.csv']],
    ['s3://data/raw/a.csv', ['s3://data/raw/a.csv']],
    ['s3://data/raw', []],
  ])('objects of a bucket: %s', async (uri, uris) => {
    const { files } = await (await bucket()).find(uri, signal);
    expect(files.map((file) => file.uri)).toEqual(uris);
  });

  test.each([
    's3://other/raw/a.csv',
    's3://database/x',
    'gs://data/raw/a.csv',
    's3://data/../other/x',
  ])('objects of a bucket: %s is refused', async (uri) => {
    const { problem } = await (await bucket()).find(uri, signal);
    expect(problem?.code).toBe('SOURCE_NOT_ALLOWED');
  });

  test('objects of a bucket are sampled for a preview', async () => {
    const finder = await bucket();
    const preview = await previewTable(
      { sourceFiles: ['s3://data/raw/**/*.csv'] },
      { clock: new ManualClock(), finder },
    );
    expect(preview.rows.map(({ fieldToValueMap }) => fieldToValueMap)).toEqual([
      { x: 1, y: 2 },
      { x: 1, y: 2 },
    ]);
    expect(preview.summary.batch).toEqual({ getnMatchingFiles: 2 });
  });
});
