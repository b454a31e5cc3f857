import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the example of the README runs as it is printed, and prints what it says', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(example.split('\n').length).toBeLessThanOrEqual(25);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--eval', example],
    {
      cwd: new URL('..', import.meta.url),
    },
  );
  expect(stdout).toBe('[[999998],[999999]]');
});
