import { expect, it } from 'vitest';
import { runCommand } from '../src/run-command.ts';
import { startFakeBroker } from './fake-broker.ts';
import { FakeEnvironment, type FakeOptions } from './fake-environment.ts';

async function settings(args: readonly string[], options?: FakeOptions) {
  const environment = new FakeEnvironment(options);
  const exitCode = await runCommand(['settings', ...args], environment);
  return { exitCode, stdout: environment.stdout.text, stderr: environment.stderr.text };
}

it('quire settings prints every setting with its value and source, and no secret', async () => {
  const token = 'a'.repeat(64);
  const { exitCode, stdout, stderr } = await settings(
    [
      '--set',
      'engine.broker.query.page.size=7',
      '--set',
      'engine.auth.principal.bob.role=query',
      '--set',
      `engine.auth.principal.bob.token.sha256=${token}`,
    ],
    { variables: { ENGINE_BROKER_PAGINATION_EXPIRATION: '4h30m' } },
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const lines = stdout.split('\n');
  expect(lines).toContain('engine.broker.query.page.size\t7\t--set');
  expect(lines).toContain(
    'engine.broker.pagination.expiration\t4h30m\tenvironment ENGINE_BROKER_PAGINATION_EXPIRATION',
  );
  expect(lines).toContain('engine.broker.pagination.protocol\tmemory\tdefault');
  expect(lines).toContain('engine.auth.principal.bob.token.sha256\t(secret)\t--set');
  expect(stdout).not.toContain(token);
});

it('quire settings prints only what differs from the defaults, as JSON lines, when asked', async () => {
  const { stdout } = await settings([
    '--changed',
    '--json',
    '--set',
    'engine.broker.query.page.size=7',
  ]);
  expect(stdout).toBe('{"key":"engine.broker.query.page.size","value":"7","source":"--set"}\n');
});

it('quire settings prints an aligned table on a terminal, in which nothing is cut', async () => {
  const { stdout } = await settings(
    [
      '--changed',
      '--set',
      'engine.broker.pagination.temp.dir=/a/rather/long/path/for/a/narrow/terminal',
    ],
    {
      terminal: { columns: 40, rows: 10 },
      variables: { NO_COLOR: '1' },
    },
  );
  expect(stdout.split('\n')[2]).toBe(
    'engine.broker.pagination.temp.dir  /a/rather/long/path/for/a/narrow/terminal  --set',
  );
});

it('quire settings exits with 1 when a setting is wrong', async () => {
  const { exitCode, stdout, stderr } = await settings(['--set', 'engine.broker.query.page.size=0']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(
    /^error INVALID_SETTING: engine\.broker\.query\.page\.size = 0 \(--set\): expected/,
  );
});

it('quire settings prints what all settings mean', async () => {
  expect((await settings(['--reference'])).stdout).toContain('`engine.broker.query.page.size`');
});

it('quire settings prints the settings of a running controller, or of a broker that it knows', async () => {
  const ofPort = { key: 'controller.port', source: '--set', isDefault: false, isLive: false };
  const body = {
    settings: [
      { ...ofPort, value: '9000' },
      { key: 'proxy.port', value: '8080', source: 'default', isDefault: true, isLive: false },
    ],
    problems: [],
  };
  await using controller = await startFakeBroker(0, () => ({ body }));
  const running = ['--running', '--url', controller.url, '--token', 'root-token'];
  expect(await settings([...running, '--broker', 'http://b:1', '--changed'])).toEqual({
    exitCode: 0,
    stdout: 'setting\tvalue\tsource\ncontroller.port\t9000\t--set\n',
    stderr: '',
  });
  expect((await settings([...running, '--no-header'])).stdout).toBe(
    'controller.port\t9000\t--set\nproxy.port\t8080\tdefault\n',
  );
  expect(controller.calls).toEqual([
    'GET /cluster/settings?broker=http%3A%2F%2Fb%3A1',
    'GET /cluster/settings',
  ]);
});

it.each([
  [['--url', 'http://127.0.0.1:9000'], 'are for --running'],
  [['--running', '--set', 'proxy.port=1'], "cannot be used with option '-s, --set"],
])('quire settings refuses options that do not go together: %j', async (args, words) => {
  const { exitCode, stderr } = await settings(args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(words)]);
});
