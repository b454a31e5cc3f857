/**
 * Compiles the row writer of `assembly/` to WebAssembly, and puts it into the sources: `npm run
 * row-writer`.
 *
 * The compiled module is in git, because sources run without a build, and packages should not bring
 * a compiler. A test compares it with what the sources compile to.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const folder = join(import.meta.dirname, '..');

/** Where the compiled module is. */
export const modulePath = join(folder, 'src/encode/row-writer-module.ts');

/**
 * WebAssembly pages of 64 KiB for a block's columns and the rows made of them. They never grow, so
 * that views of them stay good.
 */
const memoryPages = 32;

const options = `assembly/row-writer.ts --outFile row-writer.wasm -O3 --converge --noAssert --enable simd --runtime stub --use abort=
  --initialMemory ${memoryPages} --maximumMemory ${memoryPages}`;

/**
 * The text of the module's file, compiled from its sources as they are. @throws Error with what the
 * compiler says, warnings as well
 */
export async function compileRowWriter(): Promise<string> {
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
  const said = stderr.toString();
  if (error !== null || said !== '') {
    throw new Error(`The row writer does not compile: ${said}`, { cause: error });
  }
  return [
    '/** The row writer, compiled from assembly/ by scripts/compile-row-writer.ts. */',
    `export const rowWriterModule =\n  '${Buffer.from(module).toString('base64')}';\n`,
  ].join('\n');
}

if (import.meta.main) await writeFile(modulePath, await compileRowWriter());
