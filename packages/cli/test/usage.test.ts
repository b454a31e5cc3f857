import { QuireError } from '@quire/core';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../src/run-command.ts';
import { FakeEnvironment } from './fake-environment.ts';

async function run(args: readonly string[]) {
  const environment = new FakeEnvironment();
  const exitCode = await runCommand(args, environment);
  return { exitCode, stdout: environment.stdout.text, stderr: environment.stderr.text };
}

describe('a command that is called wrongly exits with 2, prints nothing and says what is wrong:', () => {
  it.each([
    [['qurey', 'SELECT 1'], "error: unknown command 'qurey'\n(Did you mean query?)"],
    [
      ['query', '--tokn', 'x', 'SELECT 1'],
      "error: unknown option '--tokn'\n(Did you mean --token?)",
    ],
    [['query', '--rows', 'many', 'SELECT 1'], 'Expected an integer of at least 1.'],
    [['query', '--rows', '0', 'SELECT 1'], 'Expected an integer of at least 1.'],
    [['query', '--offset', '9007199254740992', 'SELECT 1'], 'Expected an integer of at least 0.'],
    [
      ['query', '--format', 'xml', 'SELECT 1'],
      'Allowed choices are table, tsv, json, arrow, csv, ndjson, parquet.',
    ],
    [['query', '--format', 'csv', '--json', 'SELECT 1'], 'cannot be used with option'],
    [['query', '--url', 'localhost', 'SELECT 1'], 'Expected for example http://127.0.0.1:8099.'],
    [
      ['query', '--user', 'ann', 'SELECT 1'],
      'Expected a name and a password with a colon between them.',
    ],
    [['query', '--user', 'a:b', '--token', 'c', 'SELECT 1'], 'cannot be used with option'],
    [['query', 'SELECT 1', 'FROM x'], 'too many arguments'],
    [['query'], 'there is no SQL'],
    [['results', 'lst'], "error: unknown command 'lst'\n(Did you mean list?)"],
    [['results', 'renew', 'x'], "missing required argument 'duration'"],
    [['results', 'delete'], "missing required argument 'id'"],
    [
      ['start', '--roles', 'king'],
      "There is no role 'king'; expected one or more of server, broker, proxy, controller, cleaner.",
    ],
    [
      ['start', '--roles', 'broker,'],
      "There is no role ''; expected one or more of server, broker, proxy, controller, cleaner.",
    ],
    [['settings', '--set'], 'argument missing'],
  ])(
    'a command that is called wrongly exits with 2, prints nothing and says what is wrong: %j',
    async (args, message) => {
      const { exitCode, stdout, stderr } = await run(args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain(message);
      expect(stderr).toContain('Add --help for its arguments and options.');
    },
  );

  it('a binary format is not written to a terminal', async () => {
    const environment = new FakeEnvironment({ terminal: { columns: 80, rows: 24 } });
    expect(await runCommand(['query', '--format', 'arrow', 'SELECT 1'], environment)).toBe(2);
    expect(environment.stderr.text).toContain('Arrow is binary: send it to a file or a pipe');
  });

  it('a call without a command lists the commands, and exits as one that is wrong', async () => {
    for (const args of [[], ['results']]) {
      const { exitCode, stdout, stderr } = await run(args);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain('Commands:');
    }
  });
});

describe('help', () => {
  it.each([
    [['--help'], 'Usage: quire [options] [command]'],
    [['start', '--help'], 'Usage: quire start [options]'],
    [['help', 'start'], 'Usage: quire start [options]'],
    [['query', '--help'], 'Usage: quire query [options] [sql]'],
    [['results', '--help'], 'Usage: quire results [options] [command]'],
    [['results', 'list', '--help'], 'Usage: quire results list [options]'],
    [['results', 'show', '--help'], 'Usage: quire results show [options] <id>'],
    [['results', 'delete', '--help'], 'Usage: quire results delete [options] <id...>'],
    [['results', 'renew', '--help'], 'Usage: quire results renew [options] <id> <duration>'],
    [['settings', '--help'], 'Usage: quire settings [options]'],
  ])('help of %j is printed and no failure', async (args, usage) => {
    const { exitCode, stdout, stderr } = await run(args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(usage);
  });

  it('help that cannot be written is a failure', async () => {
    const environment = new FakeEnvironment({});
    const full = new QuireError('INVALID_PARAMETER', 'Standard output cannot be written: ENOSPC.');
    environment.stdout.write = () => Promise.reject(full);
    expect(await runCommand(['--help'], environment)).toBe(1);
    expect(environment.stderr.text).toContain('Standard output cannot be written: ENOSPC.');
  });

  it('help fits the terminal', async () => {
    const environment = new FakeEnvironment({
      terminal: { columns: 80, rows: 24 },
      variables: { NO_COLOR: '1' },
    });
    await runCommand(['results', 'renew', '--help'], environment);
    expect(
      Math.max(...environment.stdout.text.split('\n').map((line) => line.length)),
    ).toBeLessThanOrEqual(80);
  });
});

it('the list of commands, which loads none of them, says of each what it says itself', async () => {
  const names = ['start', 'query', 'results', 'tables', 'stream', 'tasks', 'cleaner', 'settings'];
  const listed = await run(['--help']);
  // Commands that the arguments name are loaded.
  const loaded = await run(['--help', ...names]);
  expect(listed).toEqual(loaded);
  for (const name of names) expect(listed.stdout).toContain(`\n  ${name} `);
});
