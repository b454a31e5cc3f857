import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import {
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';

test("the example of the client's README runs as it is printed, and prints what it says", async () => {
  const readme = await readFile(
    new URL('../../../packages/client/README.md', import.meta.url),
    'utf8',
  );
  const [, example = '', output] =
    /```ts\n([\s\S]*?)```[\s\S]*?```text\n([\s\S]*?)```/.exec(readme) ?? [];
  await using directory = await temporaryDirectory();
  const { server, url } = await startServer(['--config', await writeSettings(directory.path)]);
  await using _server = server;
  const program = example
    .replace('http://127.0.0.1:8099', url)
    .replace('quickstart-analyst', testVariables.TEST_ADMIN_TOKEN);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--eval', program],
    {
      cwd: new URL('.', import.meta.url),
    },
  );
  expect(stdout).toBe(output);
  const list = await fetch(`${url}/query/resultStore`, {
    headers: { Authorization: `Bearer ${testVariables.TEST_ADMIN_TOKEN}` },
  });
  expect(await list.json()).toEqual({ resultMetadataList: [] });
});
