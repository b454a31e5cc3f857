/**
 * Compiles `assembly/rows.ts` to WebAssembly, and puts it into the sources: `npm run row-parser`.
 *
 * The compiled module is in git, because sources run without a build, and packages should not bring
 * a compiler. A test compares it with what the sources compile to.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const folder = join(import.meta.dirname, '..');

/** Where the compiled module is. */
export const modulePath = join(folder, 'src/answer/row-module.ts');

/** WebAssembly pages of 64 KiB at the start; a row of many columns or of many bytes takes more. */
const memoryPages = 64;

const options = `assembly/rows.ts --outFile rows.wasm -O3 --converge --noAssert --enable simd --runtime stub --use abort=
  --initialMemory ${memoryPages}`;

/**
 * The text of the module's file, compiled from its source as it is. @throws Error with what the
 * compiler says, warnings as well
 */
export async function compileRows(): Promise<string> {
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
    throw new Error(`The row parser does not compile: ${said}`, { cause: error });
  }
  return [
    '/** The row parser, compiled from assembly/rows.ts by scripts/compile-rows.ts. */',
    `export const rowModule =\n  '${Buffer.from(module).toString('base64')}';\n`,
  ].join('\n');
}

if (import.meta.main) await writeFile(modulePath, await compileRows());
