import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test("the example of the proxy's README runs as it is printed, and prints what it says", async () => {
  const readme = await readFile(
    new URL('../../../packages/proxy/README.md', import.meta.url),
    'utf8',
  );
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--eval', example],
    {
      cwd: new URL('.', import.meta.url),
    },
  );
  expect(stdout).toBe('1.1 quire-proxy {"resultTable":{"rows":[[42]]}}\n');
  expect(example).toContain(`// ${stdout}`);
});
