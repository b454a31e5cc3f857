import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { compileModule, pathOfModule, wasmModules } from '../../../scripts/compile-wasm.ts';

test.each(wasmModules)(
  'the WebAssembly in the sources of $package is what assembly/$source compiles to; npm run wasm makes it so',
  async (module) => {
    expect(await readFile(pathOfModule(module), 'utf8')).toBe(await compileModule(module));
  },
);
