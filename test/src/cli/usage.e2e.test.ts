import { join } from 'node:path';
import { readVersion } from '@quire/core/process';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { quire, temporaryDirectory, testVariables, writeSettings } from '../testkit/cli-process.ts';

// Every wrong call and every failed start has a test in packages/cli; here is what a process makes
// of one of each.

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
      "error: unknown option '--tokn'\n(Did you mean --token?)\nAdd --help to see what it takes.\n",
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
