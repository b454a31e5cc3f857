import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { compileRows, modulePath } from '../scripts/compile-rows.ts';

test('the WebAssembly in the sources is what assembly/ compiles to; npm run row-parser makes it so', async () => {
  expect(await readFile(modulePath, 'utf8')).toBe(await compileRows());
});
