import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuireError } from '@quire/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../src/run-command.ts';
import { type Answer, fakeRequestId, startFakeBroker } from './fake-broker.ts';
import { FakeEnvironment, type FakeOptions, untilBlocked } from './fake-environment.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-download-'));
});
afterEach(async () => rm(directory, { recursive: true, force: true }));

async function download(url: string, args: readonly string[], options?: FakeOptions) {
  const environment = new FakeEnvironment(options);
  const exitCode = await runCommand(
    ['results', 'download', fakeRequestId, '--url', url, ...args],
    environment,
  );
  return { exitCode, stdout: environment.stdout.text, stderr: environment.stderr.text };
}

const lines = (start: number, end: number): string =>
  Array.from({ length: end - start }, (_, index) => `ndjson ${start + index}\n`).join('');
const textOf = (name: string): Promise<string> => readFile(join(directory, name), 'utf8');
/** Refuses the page that starts at a row, for a permanent reason. */
const goneFrom =
  (offset: number) =>
  ({ url }: { url?: string | undefined }): Answer =>
    url?.includes(`offset=${offset}&`) === true && url.includes('format')
      ? { status: 410, body: { code: 410, error: 'It has expired.', reason: 'RESULT_EXPIRED' } }
      : 'rows';

describe('quire results download', () => {
  it('quire results download writes the whole result to a file, and leaves nothing else', async () => {
    await using broker = await startFakeBroker(1234);
    const path = join(directory, 'rows.ndjson');
    expect(await download(broker.url, ['-f', 'ndjson', '-o', path, '--page-size', '500'])).toEqual({
      exitCode: 0,
      stdout: `${path}: 1,234 rows, 13.4 KiB\n`,
      stderr: '',
    });
    expect(await textOf('rows.ndjson')).toBe(lines(0, 1234));
    expect(await readdir(directory)).toEqual(['rows.ndjson']);
    expect(broker.calls.map((call) => call.split('?')[1])).toEqual([
      'offset=0&numRows=1',
      'offset=0&numRows=500&format=ndjson',
      'offset=500&numRows=500&format=ndjson',
      'offset=1000&numRows=234&format=ndjson',
    ]);
  });

  it('quire results download names a file that cannot be written', async () => {
    await using broker = await startFakeBroker(3);
    const path = join(directory, 'missing/rows.ndjson');
    expect(await download(broker.url, ['-f', 'ndjson', '-o', path])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^error INVALID_PARAMETER: .*rows\.ndjson cannot be written: ENOENT: no such file/,
      ),
    });
  });

  it('quire results download refuses a directory as its file before it reads a row', async () => {
    await using broker = await startFakeBroker(3);
    expect(await download(broker.url, ['-f', 'ndjson', '-o', directory])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `error INVALID_PARAMETER: ${directory} is a directory; expected a file.\n`,
    });
    expect(await readdir(directory)).toEqual([]);
    expect(broker.calls.filter((call) => call.includes('format='))).toEqual([]);
  });

  it('quire results download writes to standard output when there is no file', async () => {
    await using broker = await startFakeBroker(3);
    expect(await download(broker.url, ['-f', 'ndjson'])).toEqual({
      exitCode: 0,
      stdout: lines(0, 3),
      stderr: '',
    });
  });

  it('quire results download has formulas escaped for spreadsheets where that is asked for, in CSV only', async () => {
    await using broker = await startFakeBroker(3);
    expect((await download(broker.url, ['--formulas', 'escape'])).exitCode).toBe(0);
    expect(broker.calls.at(-1)).toContain('&format=csv&formulas=escape');
    const refused = await download(broker.url, ['--formulas', 'escape', '-f', 'ndjson']);
    expect([refused.exitCode, refused.stderr.split('\n')[0]]).toEqual([
      2,
      'error: --formulas is for CSV: give --format csv as well',
    ]);
  });

  it('quire results download goes on only with a part that was written in the same way', async () => {
    const path = join(directory, 'rows.csv');
    const args = ['-o', path, '--page-size', '2', '--resume'];
    {
      await using broker = await startFakeBroker(7, goneFrom(4));
      expect((await download(broker.url, [...args, '--formulas', 'escape'])).exitCode).toBe(1);
    }
    await using broker = await startFakeBroker(7);
    const { exitCode, stderr } = await download(broker.url, args);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(
        'rows.csv.part.json belongs to a download with --formulas escape; without --resume the download starts again.',
      ),
    ]);
  });

  it('quire results download that broke off keeps what it has, says so, and goes on there', async () => {
    const path = join(directory, 'rows.ndjson');
    const args = ['-f', 'ndjson', '-o', path, '--page-size', '2', '--resume'];
    {
      await using broker = await startFakeBroker(7, goneFrom(4));
      expect(await download(broker.url, args)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `4 rows are in ${path}.part; --resume continues with them.\nerror RESULT_EXPIRED: It has expired.\n`,
      });
    }
    expect([
      await textOf('rows.ndjson.part'),
      JSON.parse(await textOf('rows.ndjson.part.json')),
    ]).toEqual([
      lines(0, 4),
      { requestId: fakeRequestId, format: 'ndjson', offset: 4, sizeBytes: 36 },
    ]);
    // Killed between writing rows and recording them.
    await writeFile(`${path}.part`, `${lines(0, 4)}ndjson 4\nndj`);
    await using broker = await startFakeBroker(7);
    expect((await download(broker.url, args)).stdout).toBe(`${path}: 7 rows, 63 B\n`);
    expect(await textOf('rows.ndjson')).toBe(lines(0, 7));
    expect(await readdir(directory)).toEqual(['rows.ndjson']);
    expect(broker.calls[1]).toContain('offset=4&');
  });

  it('quire results download begins again without --resume, and leaves the old file until the new one is whole', async () => {
    const path = join(directory, 'rows.ndjson');
    await writeFile(path, 'old');
    await writeFile(`${path}.part`, 'rubbish that is longer than what will be written');
    const args = ['-f', 'ndjson', '-o', path, '--page-size', '2'];
    {
      await using broker = await startFakeBroker(3, goneFrom(2));
      expect((await download(broker.url, args)).exitCode).toBe(1);
      expect(await textOf('rows.ndjson')).toBe('old');
    }
    await using broker = await startFakeBroker(3);
    expect((await download(broker.url, args)).exitCode).toBe(0);
    expect(await textOf('rows.ndjson')).toBe(lines(0, 3));
  });

  it('quire results download that begins again and breaks off before its first row has nothing to go on with', async () => {
    const path = join(directory, 'rows.ndjson');
    const args = ['-f', 'ndjson', '-o', path, '--page-size', '2'];
    for (const offset of [2, 0]) {
      await using broker = await startFakeBroker(3, goneFrom(offset));
      expect((await download(broker.url, args)).exitCode).toBe(1);
    }
    await using broker = await startFakeBroker(3);
    expect((await download(broker.url, [...args, '--resume'])).stderr).toBe('');
    expect(await textOf('rows.ndjson')).toBe(lines(0, 3));
  });

  it('quire results download to a reader that takes nothing ends at Ctrl-C', async () => {
    const environment = new FakeEnvironment();
    await using broker = await startFakeBroker(3);
    const args = ['results', 'download', fakeRequestId, '--url', broker.url];
    const running = runCommand(args, environment);
    await untilBlocked(environment);
    environment.signal('SIGINT');
    expect([await running, environment.stderr.text]).toEqual([1, 'Cancelled.\n']);
  });

  it('quire results download fails when it breaks off, even if its messages have no reader', async () => {
    const environment = new FakeEnvironment();
    environment.stderr.write = () =>
      Promise.reject(new QuireError('OUTPUT_CLOSED', 'The output was closed by its reader.'));
    await using broker = await startFakeBroker(3, goneFrom(2));
    const path = join(directory, 'rows.ndjson');
    const args = ['results', 'download', fakeRequestId, '--url', broker.url, '-o', path];
    const options = ['-f', 'ndjson', '--page-size', '2'];
    expect(await runCommand([...args, ...options], environment)).toBe(1);
  });

  it.each<[string, string, RegExp]>([
    [
      'of another result',
      '{"requestId":"x","format":"ndjson","offset":2,"sizeBytes":18}',
      /belongs to the result x as ndjson, not to 018f6b1e/,
    ],
    [
      'of another format',
      `{"requestId":"${fakeRequestId}","format":"csv","offset":2,"sizeBytes":18}`,
      /as csv, not to .* as ndjson/,
    ],
    [
      'longer than its file',
      `{"requestId":"${fakeRequestId}","format":"ndjson","offset":2,"sizeBytes":18}`,
      /records 18 bytes, but .* has 4/,
    ],
    ['without a position', `{"requestId":"${fakeRequestId}","format":"ndjson"}`, /has no position/],
    ['cut off', '{"requ', /cannot be read/],
  ])(
    'quire results download does not go on with a part that is %s',
    async (_name, record, problem) => {
      const path = join(directory, 'rows.ndjson');
      await writeFile(`${path}.part`, 'rows');
      await writeFile(`${path}.part.json`, record);
      await using broker = await startFakeBroker(3);
      const { exitCode, stderr } = await download(broker.url, [
        '-f',
        'ndjson',
        '-o',
        path,
        '--resume',
      ]);
      expect([exitCode, stderr.startsWith('error INVALID_PARAMETER: ')]).toEqual([1, true]);
      expect(stderr).toMatch(problem);
      expect(await textOf('rows.ndjson.part')).toBe('rows');
    },
  );

  it('quire results download needs a file to resume, and a pipe for Arrow', async () => {
    const url = 'http://127.0.0.1:1';
    expect((await download(url, ['--resume'])).exitCode).toBe(2);
    expect(
      (await download(url, ['-f', 'arrow'], { terminal: { columns: 80, rows: 24 } })).exitCode,
    ).toBe(2);
  });

  it('quire results download writes the header of a file without rows', async () => {
    const path = join(directory, 'none.csv');
    await using broker = await startFakeBroker(0, ({ url }) =>
      url?.includes('format') === true ? { body: 'n,text\n' } : 'rows',
    );
    expect((await download(broker.url, ['-o', path])).stdout).toBe(`${path}: 0 rows, 7 B\n`);
    expect(await textOf('none.csv')).toBe('n,text\n');
  });

  it('quire results download shows how far it is on a terminal', async () => {
    const asked = Promise.withResolvers<void>();
    await using broker = await startFakeBroker(4, ({ url }) => {
      if (url?.includes('offset=2&') !== true) return 'rows';
      asked.resolve();
      return undefined;
    });
    const environment = new FakeEnvironment({
      terminal: { columns: 100, rows: 24 },
      variables: { NO_COLOR: '1' },
    });
    const args = [
      'results',
      'download',
      fakeRequestId,
      '--url',
      broker.url,
      '-f',
      'ndjson',
      '-o',
      join(directory, 'x'),
    ];
    const running = runCommand([...args, '--page-size', '2'], environment);
    await asked.promise;
    await environment.clock.advance(100);
    await environment.stderr.lastWith('50% of 4 rows, 18 B');
    environment.signal('SIGINT');
    expect(await running).toBe(1);
    expect(environment.stderr.text).toMatch(
      /2 rows are in .*x\.part; --resume continues with them\.\nCancelled\.\n$/,
    );
  });
});
