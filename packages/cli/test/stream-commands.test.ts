import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../src/run-command.ts';
import { FakeEnvironment, untilBlocked } from './fake-environment.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-stream-'));
  await writeFile(
    join(directory, 'orders.jsonl'),
    '{"id":1,"who":"a"}\n\n{"id":2,"who":"b"}\n{"id":3,"who":"a"}',
  );
});

afterEach(() => rm(directory, { recursive: true }));

/** Starts `quire stream …`, with file streams in the directory. */
function start(args: readonly string[]) {
  const environment = Object.assign(new FakeEnvironment(), { directory });
  const exitCode = runCommand(
    ['stream', ...args, '--set', 'engine.stream.file.dir=streams'],
    environment,
  );
  return { environment, exitCode };
}

async function run(...args: readonly string[]) {
  const { environment, exitCode } = start(args);
  return {
    exitCode: await exitCode,
    stdout: environment.stdout.text,
    stderr: environment.stderr.text,
  };
}

const fileOf = (partition: number): Promise<string> =>
  readFile(join(directory, `streams/orders/${partition}.jsonl`), 'utf8');

describe('quire stream append', () => {
  test('quire stream append writes the lines of a file, and creates the topic', async () => {
    const stdout = '3 messages written to file topic orders\n';
    expect(await run('append', 'orders', 'orders.jsonl')).toEqual({
      exitCode: 0,
      stdout,
      stderr: '',
    });
    expect(await fileOf(0)).toBe('{"id":1,"who":"a"}\n{"id":2,"who":"b"}\n{"id":3,"who":"a"}\n');
  });

  test('quire stream append ends lines at line feeds alone, whatever a text contains', async () => {
    const lines = [
      '{"id":1,"who":"a\u2028b\u2029c"}',
      '{"id":2}',
      `{"id":3,"who":"${'x'.repeat(100_000)}"}`,
    ];
    await writeFile(join(directory, 'lines.jsonl'), `${lines[0]}\n\n${lines[1]}\r\n${lines[2]}`);
    expect((await run('append', 'orders', 'lines.jsonl')).stdout).toBe(
      '3 messages written to file topic orders\n',
    );
    expect(await fileOf(0)).toBe(`${lines.join('\n')}\n`);
  });

  test('quire stream append refuses a file that is not UTF-8, and skips the mark at the start of one', async () => {
    const path = join(directory, 'lines.jsonl');
    await writeFile(path, Buffer.from('{"who":"Zo\xeb"}\n', 'latin1'));
    expect((await run('append', 'orders', 'lines.jsonl')).stderr).toBe(
      'error INVALID_BODY: lines.jsonl is not UTF-8 text.\n',
    );
    await writeFile(path, '\uFEFF{"who":"Zo\u00EB"}\r\n');
    expect((await run('append', 'orders', 'lines.jsonl')).exitCode).toBe(0);
    expect(await fileOf(0)).toBe('{"who":"Zo\u00EB"}\n');
  });

  test('quire stream append sends the same key to the same partition, and says what it did as JSON', async () => {
    const { stdout } = await run(
      'append',
      'orders',
      'orders.jsonl',
      '--partitions',
      '4',
      '--key',
      'who',
      '--json',
    );
    expect(JSON.parse(stdout)).toEqual({ topic: 'orders', written: 3 });
    const files = await Promise.all([0, 1, 2, 3].map(fileOf));
    expect(files).toContain('{"id":1,"who":"a"}\n{"id":3,"who":"a"}\n');
    expect(files).toContain('{"id":2,"who":"b"}\n');
  });

  test('quire stream append keeps to a rate, and stops at Ctrl-C with what is written', async () => {
    const { environment, exitCode } = start(['append', 'orders', 'orders.jsonl', '--rate', '1']);
    await environment.clock.untilSleeping();
    expect(await fileOf(0)).toBe('{"id":1,"who":"a"}\n');
    await environment.clock.advance(1000);
    await environment.clock.untilSleeping();
    environment.signal('SIGINT');
    expect(await exitCode).not.toBe(0);
    expect(await fileOf(0)).toBe('{"id":1,"who":"a"}\n{"id":2,"who":"b"}\n');
    expect(environment.isListenedTo).toBe(false);
  });

  test('quire stream append names the line that is not an object, and a file that is not there', async () => {
    await writeFile(join(directory, 'bad.jsonl'), '{"id":1}\n[2]\n');
    expect((await run('append', 'orders', 'bad.jsonl')).stderr).toContain(
      'Line 2 of bad.jsonl is not a JSON object.',
    );
    expect((await run('append', 'orders', 'none.jsonl')).stderr).toContain(
      'none.jsonl cannot be read',
    );
  });
});

describe('quire stream tail', () => {
  test('quire stream tail prints values, from the beginning, until so many are there', async () => {
    await run('append', 'orders', 'orders.jsonl');
    const stdout = '{"id":1,"who":"a"}\n{"id":2,"who":"b"}\n';
    expect(await run('tail', 'orders', '--from', 'smallest', '--rows', '2')).toEqual({
      exitCode: 0,
      stdout,
      stderr: '',
    });
  });

  test('quire stream tail prints where messages are, as JSON', async () => {
    await run('append', 'orders', 'orders.jsonl');
    const { stdout } = await run('tail', 'orders', '--from', '1d', '--rows', '1', '--json');
    const time = '2026-01-01T00:00:00.000Z';
    expect(JSON.parse(stdout)).toEqual({
      partition: 0,
      offset: 0,
      time,
      key: null,
      value: '{"id":1,"who":"a"}',
    });
  });

  test('quire stream tail waits for new messages, and ends cleanly at Ctrl-C', async () => {
    await run('append', 'orders', 'orders.jsonl');
    const { environment, exitCode } = start(['tail', 'orders']);
    await environment.clock.untilSleeping();
    environment.signal('SIGINT');
    expect(await exitCode).toBe(0);
    expect([environment.stdout.text, environment.stderr.text, environment.isListenedTo]).toEqual([
      '',
      '',
      false,
    ]);
  });

  test('quire stream tail ends at Ctrl-C, even if its reader takes nothing', async () => {
    await run('append', 'orders', 'orders.jsonl');
    const { environment, exitCode } = start(['tail', 'orders', '--from', 'smallest']);
    await untilBlocked(environment);
    environment.signal('SIGINT');
    expect(await exitCode).toBe(0);
  });

  test('quire stream tail says that there is no such topic, and what a start looks like', async () => {
    const missing = await run('tail', 'nothing');
    expect([missing.exitCode === 0, missing.stderr]).toEqual([
      false,
      expect.stringContaining('There is no file topic nothing'),
    ]);
    expect((await run('tail', 'orders', '--from', 'middle')).stderr).toContain(
      'Expected smallest, largest, a time',
    );
  });
});

test('a command about a file stream says how to name its directory where no settings do', async () => {
  const environment = new FakeEnvironment();
  expect(await runCommand(['stream', 'tail', 'orders'], environment)).toBe(1);
  expect(environment.stderr.text).toBe(
    "error STREAM_INVALID: There is no directory of file streams: `engine.stream.file.dir` is not set. Name the server's settings by -c, or name a Kafka by -k.\n",
  );
});
