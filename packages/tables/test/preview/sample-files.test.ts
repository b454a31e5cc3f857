import { ManualClock } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import { type FileFinder, previewTable } from '../../src/index.ts';
import { previewLimits } from '../../src/preview/sample.ts';
import { fileOf } from '../sources/memory-file.ts';
import { codesOf, previewOf } from './preview-of.ts';

/** Creates files `f0.csv` … with these numbers of rows; every pattern matches all of them. */
function files(...rowCounts: readonly number[]): FileFinder {
  const found = rowCounts.map((count, file) => {
    const rows = Array.from({ length: count }, (_, row) => `${file},${row}`);
    return fileOf(`f${file}.csv`, ['file,row', ...rows, ''].join('\n'), 1000);
  });
  return { find: () => Promise.resolve({ files: found }) };
}

async function sampled(finder: FileFinder, config: object) {
  const preview = await previewOf({ sourceFiles: ['*'], config }, { finder });
  const counts = Map.groupBy(preview.rows, ({ fieldToValueMap }) => fieldToValueMap['file']);
  return { preview, counts: [...counts].map(([file, rows]) => [file, rows.length]) };
}

describe('rows are spread over the files', () => {
  test('rows are spread over the files as many of each', async () => {
    const { counts } = await sampled(files(50, 50, 50, 50), { sampling: { max: 40 } });
    expect(counts).toEqual([
      [0, 10],
      [1, 10],
      [2, 10],
      [3, 10],
    ]);
  });

  test('rows that small files lack come from large ones', async () => {
    const { counts } = await sampled(files(100, 3, 100), { sampling: { max: 43 } });
    expect(counts).toEqual([
      [0, 20],
      [1, 3],
      [2, 20],
    ]);
  });

  test('of many files, some are read over their whole length', async () => {
    const { counts, preview } = await sampled(files(...Array.from({ length: 21 }, () => 5)), {
      sampling: { max: 6 },
      previewFiles: { nfilesToFetch: 3 },
    });
    expect(counts).toEqual([
      [0, 2],
      [10, 2],
      [20, 2],
    ]);
    expect(preview.summary.batch.getnMatchingFiles).toBe(21);
    expect(preview.sourceFiles).toEqual(['f0.csv', 'f10.csv', 'f20.csv']);
  });

  test('too few rows to spread over the files are a finding', async () => {
    const { preview } = await sampled(files(2), { sampling: { min: 5 } });
    expect(codesOf(preview)).toEqual(['FEW_ROWS /config/sampling/min']);
  });
});

test('files are only listed when that is all that is wanted', async () => {
  const opened: string[] = [];
  const file = {
    uri: 'x.csv',
    sizeBytes: 9,
    read: () => Promise.reject(new Error(`opened ${opened.push('x.csv')}`)) as never,
  };
  const finder: FileFinder = { find: () => Promise.resolve({ files: [file] }) };
  const preview = await previewOf(
    { sourceFiles: ['*'], config: { previewFiles: { previewFilesOnly: true } } },
    { finder },
  );
  expect([preview.sourceFiles, preview.rows, opened]).toEqual([['x.csv'], [], []]);
});

test('one file that cannot be read costs its own rows only', async () => {
  const found = [
    fileOf('a.csv', 'a\n1\n'),
    fileOf('b.parquet', 'PAR1 not really'),
    fileOf('c.csv', 'a\n2\n'),
  ];
  const preview = await previewOf(
    { sourceFiles: ['*'] },
    { finder: { find: () => Promise.resolve({ files: found }) } },
  );
  expect(preview.rows.map(({ fieldToValueMap }) => fieldToValueMap)).toEqual([{ a: 1 }, { a: 2 }]);
  expect(codesOf(preview)).toEqual(['FILE_CORRUPT /sourceFiles/0']);
});

test('bytes are counted over all files', async () => {
  const limits = { ...previewLimits, bytesMax: 3000 };
  const preview = await previewOf(
    { sourceFiles: ['*'], config: { sampling: { max: 5000 } } },
    { finder: files(400, 400, 400), limits },
  );
  expect(codesOf(preview)).toEqual(['BYTE_LIMIT /sourceFiles/0']);
  expect(preview.rows.length).toBeGreaterThan(100);
});

describe('the batch sources of a config', () => {
  const asked: string[] = [];
  const finder: FileFinder = {
    find(pattern) {
      asked.push(pattern);
      return Promise.resolve({
        files: ['/in/a.csv', '/in/b/c.csv', '/in/b/skip.csv', '/in/d.txt'].map((uri) =>
          fileOf(uri, 'x|y\n1|2\n'),
        ),
      });
    },
  };
  const preview = (map: object) => {
    const batchIngestionConfig = { batchConfigMaps: [map] };
    return previewOf(
      { tableConfig: { tableName: 't', ingestionConfig: { batchIngestionConfig } } },
      { finder },
    );
  };
  const place = '/tableConfig/ingestionConfig/batchIngestionConfig/batchConfigMaps/0';

  test('the batch sources of a config are read by directory, patterns, format and delimiter', async () => {
    const map = {
      inputDirURI: '/in/',
      includeFileNamePattern: 'glob:**/*.csv',
      excludeFileNamePattern: 'regex:.*skip.*',
      inputFormat: 'csv',
      'recordReader.prop.delimiter': '|',
    };
    asked.length = 0;
    const { sourceFiles, rows } = await preview(map);
    expect(asked).toEqual(['/in/**']);
    expect(sourceFiles).toEqual(['/in/a.csv', '/in/b/c.csv']);
    expect(rows.map(({ fieldToValueMap }) => fieldToValueMap)).toEqual([
      { x: 1, y: 2 },
      { x: 1, y: 2 },
    ]);
  });

  test.each([
    [
      { inputDirURI: '/in', includeFileNamePattern: 'regex:(' },
      `BATCH_PATTERN ${place}/includeFileNamePattern`,
    ],
    [{ inputDirURI: '/in', inputFormat: 'orc' }, `BATCH_FORMAT ${place}/inputFormat`],
    [{ inputFormat: 'csv' }, `BATCH_SOURCE ${place}/inputDirURI`],
  ])('what is wrong with the batch sources of a config is a finding: %j', async (map, code) => {
    expect(codesOf(await preview(map))).toContain(code);
  });
});

describe('a store that does not answer', () => {
  const silent: FileFinder = {
    find: (_pattern, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  };

  test('a store that does not answer costs the time that a preview may take, and is a finding', async () => {
    const clock = new ManualClock();
    const preview = previewTable(
      { sourceFiles: ['*'] },
      { clock, finder: silent, limits: { timeMaxMs: 500 } },
    );
    await clock.advance(500);
    expect(codesOf(await preview)).toContain('TIME_LIMIT /sourceFiles/0');
    expect(clock.sleeperCount).toBe(0);
  });

  test('a store that does not answer is not waited for by a caller who has gone', async () => {
    const caller = new AbortController();
    const preview = previewTable(
      { sourceFiles: ['*'] },
      { clock: new ManualClock(), finder: silent, signal: caller.signal },
    );
    caller.abort();
    await expect(preview).rejects.toThrow('aborted');
  });
});
