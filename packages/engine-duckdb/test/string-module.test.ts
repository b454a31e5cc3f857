import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { compileStrings, modulePath } from '../scripts/compile-strings.ts';

test('the WebAssembly in the sources is what assembly/ compiles to; npm run string-assembler makes it so', async () => {
  expect(await readFile(modulePath, 'utf8')).toBe(await compileStrings());
});
