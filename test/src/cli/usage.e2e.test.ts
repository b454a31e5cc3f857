import { join } from 'node:path';
import { readVersion } from '@quire/core/process';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import {
  CliProcess,
  quire,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';

// Every wrong call and every failed start has a test in packages/cli; these run one of each as a
// process.

test('the version is printed alone, and exits with 0', async () => {
  const manifest = join(import.meta.dirname, '../../../package.json');
  const version = readVersion(pathToFileURL(manifest));
  expect(await quire(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
});

test('a wrong call exits with 2 and names what was probably meant', async () => {
  expect(await quire(['query', '--tokn', 'x', 'SELECT 1'])).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      "error: unknown option '--tokn'\n(Did you mean --token?)\nAdd --help for its arguments and options.\n",
  });
});

test('a query that is not UTF-8 is refused, because other letters would give other rows', async () => {
  const stdin = Buffer.from("SELECT * FROM people WHERE name = 'Zo\u00EB'", 'latin1');
  await using command = new CliProcess(['query'], { stdin });
  expect(await command.ended()).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'error INVALID_BODY: Standard input is not UTF-8 text.\n',
  });
});

test('a server with bad settings exits with 1 and tells of all of them', async () => {
  await using directory = await temporaryDirectory();
  const config = await writeSettings(
    directory.path,
    'engine.broker.query.page.sise = 5\nengine.broker.query.timeout = soon\n',
  );
  const { exitCode, stdout, stderr } = await quire(['start', '--config', config], {
    variables: testVariables,
  });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(
    /^error INVALID_SETTING:\n {2}engine\.broker\.query\.page\.sise .*\n {2}engine\.broker\.query\.timeout = soon .*\n$/,
  );
});

/**
 * An import that prints the package of each loaded module on standard error when the command exits.
 */
const listModules = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  if (process.argv[1]?.endsWith('quire.cjs')) {
    const urls = new Set();
    registerHooks({ load: (url, context, next) => (urls.add(url), next(url, context)) });
    const packageOf = (url) => /.*node_modules.((?:@[^/]+.)?[^/]+)/.exec(url)?.[1] ?? 'quire';
    process.on('exit', () => process.stderr.write(JSON.stringify([...urls].map(packageOf))));
  }`)}`;

test('the help loads few modules: none of the commands, and no server', async () => {
  const modulesMax = 200;
  // Commands that do not run a server start as often as they are typed.
  const { stdout, stderr } = await quire(['--help'], {
    variables: { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${listModules}` },
  });
  expect(stdout).toContain('Usage: quire [options] [command]');
  const modules = JSON.parse(stderr) as readonly string[];
  expect(modules.length).toBeGreaterThan(10);
  expect(modules.length).toBeLessThanOrEqual(modulesMax);
});

test.each([
  ['query', 'SELECT 1'],
  ['results', 'list'],
  ['tables', 'list'],
])(
  'a call of `quire %s` to a server that is not there exits with 1, and has loaded few modules',
  async (...args) => {
    const modulesMax = 220;
    const { exitCode, stderr } = await quire([...args, '--url', 'http://127.0.0.1:1'], {
      variables: { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${listModules}` },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^error SERVER_UNREACHABLE: No answer from http:\/\/127\.0\.0\.1:1: .*\n/,
    );
    const modules = JSON.parse(/\[".*"\]/.exec(stderr)?.[0] ?? '[]') as readonly string[];
    expect(modules).toContain('commander');
    // They belong to previews and sweeps, which need no server.
    for (const heavy of ['apache-arrow', 'chokidar', 'hyparquet']) {
      expect(modules).not.toContain(heavy);
    }
    expect(modules.length).toBeLessThanOrEqual(modulesMax);
  },
);

test('a server starts without what only bodies, tokens and documents need', async () => {
  // Each hundred of modules takes a tenth of the time of a start.
  const modulesMax = 1500;
  await using directory = await temporaryDirectory();
  const config = await writeSettings(
    directory.path,
    'proxy.port = 0\ncontroller.port = 0\nengine.log.level = error\n' +
      'engine.tables.data.dir = tables\nengine.stream.file.dir = streams\n',
  );
  await using server = new CliProcess(
    ['start', '--roles', 'server,broker,proxy,controller', '--config', config],
    {
      variables: {
        ...testVariables,
        NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${listModules}`,
      },
    },
  );
  await server.untilPrinted(/Ctrl-C/);
  server.signal('SIGTERM');
  const { stderr } = await server.ended();
  const modules = JSON.parse(/\[".*"\]/.exec(stderr)?.[0] ?? '[]') as readonly string[];
  expect(modules).toEqual(expect.arrayContaining(['fastify', 'apache-arrow']));
  for (const heavy of ['typebox', 'ajv', '@fastify/swagger', 'yaml', 'jose', 'string-width']) {
    expect(modules).not.toContain(heavy);
  }
  expect(modules.length).toBeLessThanOrEqual(modulesMax);
});
