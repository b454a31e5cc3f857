import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');

/** WebAssembly pages of 64 KiB for a block's columns and the rows made of them. They never grow, so that views of them stay good. */
const memoryPages = 32;

const options = `assembly/row-writer.ts --outFile row-writer.wasm -O3 --converge --noAssert --enable simd --runtime stub --use abort=
  --initialMemory ${memoryPages} --maximumMemory ${memoryPages}`;

/** Compiles the row writer from its sources, and gives the module in base64. */
async function compileRowWriter(): Promise<string> {
  let module = new Uint8Array(0);
  const stderr = asc.createMemoryStream();
  const { error } = await asc.main(options.split(/\s+/), {
    readFile: (name) => readFile(join(folder, name), 'utf8').catch(() => null),
    writeFile: (_name, contents) => {
      module = Uint8Array.from(contents as Uint8Array);
    },
    listFiles: () => [],
    stderr,
  });
  // Warnings as well.
  expect(stderr.toString()).toBe('');
  expect(error).toBeNull();
  return Buffer.from(module).toString('base64');
}

test('the WebAssembly in the sources is what assembly/ compiles to; --update makes it so', async () => {
  const source = [
    '/** The row writer, compiled from assembly/ by test/row-writer-module.test.ts, which also compares the two. */',
    `export const rowWriterModule =\n  '${await compileRowWriter()}';\n`,
  ].join('\n');
  await expect(source).toMatchFileSnapshot('../src/encode/row-writer-module.ts');
}, 60_000);
