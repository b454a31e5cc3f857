import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { readVersion } from '@quire/core/process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { quire, temporaryDirectory, testVariables, writeSettings } from '../testkit/cli-process.ts';

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

test('a server that is not there exits with 1', async () => {
  const { exitCode, stderr } = await quire(['query', '--url', 'http://127.0.0.1:1', 'SELECT 1']);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^error SERVER_UNREACHABLE: No answer from http:\/\/127\.0\.0\.1:1: .*\n/);
});

test('the help loads few modules: none of the commands, and no server', async () => {
  const modulesMax = 200;
  // Commands that do not run a server start as often as they are typed.
  const counter = `
    import { registerHooks } from 'node:module';
    const urls = new Set();
    registerHooks({ load: (url, context, next) => (urls.add(url), next(url, context)) });
    process.on('exit', () => process.stderr.write(String(urls.size)));`;
  const counted = pathToFileURL(join(import.meta.dirname, '../../../packages/cli/bin/quire.cjs'));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--conditions=@quire/source',
    '--import',
    `data:text/javascript,${encodeURIComponent(counter)}`,
    fileURLToPath(counted),
    '--help',
  ]);
  expect(stdout).toContain('Usage: quire [options] [command]');
  expect(Number(stderr)).toBeGreaterThan(10);
  expect(Number(stderr)).toBeLessThanOrEqual(modulesMax);
});
