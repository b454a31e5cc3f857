import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Settings } from '@quire/settings';
import { processOutput, writeToFile } from '../src/output.ts';
import { writeWelcome } from '../src/welcome.ts';
import { FakeEnvironment } from './fake-environment.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-output-'));
});

afterEach(() => rm(directory, { recursive: true }));

/** An output of the process that is this file. */
function outputTo(path: string) {
  const fd = openSync(path, 'a');
  const stream = Object.assign(new PassThrough(), { fd }) as unknown as typeof process.stdout;
  const output = processOutput(stream, 'Standard output');
  return Object.assign(output, { [Symbol.dispose]: () => closeSync(fd) });
}

test('texts and bytes are appended to a file in their order', async () => {
  const path = join(directory, 'out');
  {
    using output = outputTo(path);
    await Promise.all([output.write('a ü\n'), output.write(Buffer.from('b\n')), output.write('')]);
  }
  expect(await readFile(path, 'utf8')).toBe('a ü\nb\n');
});

test('a file takes all bytes of a write, however few at once', async () => {
  const path = join(directory, 'out');
  const fd = openSync(path, 'w');
  const few = (file: number, bytes: Uint8Array, start: number, length: number): number =>
    writeSync(file, bytes, start, Math.min(length, 3));
  writeToFile(fd, '0123456789', 'It', few as typeof writeSync);
  closeSync(fd);
  expect(await readFile(path, 'utf8')).toBe('0123456789');
});

test('a server continues when its welcome cannot be written', async () => {
  const quire = { roles: {}, settings: {} as Settings };
  for (const [writesUntilClosed, text] of [
    [1, /^Quire \d[^]*Ctrl-C stops it\.\n$/],
    [0, /^$/],
  ] as const) {
    const environment = new FakeEnvironment({ writesUntilClosed });
    await writeWelcome(quire, environment);
    expect(environment.stdout.text).toMatch(text);
  }
});

test.skipIf(!existsSync('/dev/full'))('a full disk is a failure of the command', async () => {
  using output = outputTo('/dev/full');
  await expect(output.write('a')).rejects.toMatchObject({
    code: 'INVALID_PARAMETER',
    message: 'Standard output cannot be written: ENOSPC: no space left on device, write.',
  });
});
