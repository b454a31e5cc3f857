import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeWithTool, pythonRequests } from '../testkit/toolchain.ts';
import {
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';

describeWithTool(pythonRequests, 'a program in Python', (python) => {
  test('a program in Python that the README of the package api prints runs as it is printed', async () => {
    const readme = await readFile(
      new URL('../../../packages/api/README.md', import.meta.url),
      'utf8',
    );
    const [, example = '', output] =
      /```python\n([\s\S]*?)```[\s\S]*?```text\n([\s\S]*?)```/.exec(readme) ?? [];
    await using directory = await temporaryDirectory();
    const { server, url } = await startServer(['--config', await writeSettings(directory.path)]);
    await using _server = server;
    const program = example
      .replace('http://127.0.0.1:8099', url)
      .replace('quickstart-analyst', testVariables.TEST_ADMIN_TOKEN);
    const { stdout } = await promisify(execFile)(python, ['-c', program]);
    expect(stdout).toBe(output);
  });
});
