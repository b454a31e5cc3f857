import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { compileRowWriter, modulePath } from '../scripts/compile-row-writer.ts';

test('the WebAssembly in the sources is what assembly/ compiles to; npm run row-writer makes it so', async () => {
  expect(await readFile(modulePath, 'utf8')).toBe(await compileRowWriter());
});
