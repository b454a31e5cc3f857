/**
 * Compiles the sources in `assembly/` of packages to WebAssembly, and writes it into their sources:
 * `npm run wasm`.
 *
 * The compiled modules are in git, because sources run without a build, and packages should not
 * depend on a compiler. A test compares them with freshly compiled ones.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const packages = join(import.meta.dirname, '../packages');

/** A module, and its files. */
export interface WasmModule {
  readonly package: string;
  /** The file of `assembly/` that exports its functions. */
  readonly source: string;
  /** The file of `src/` that contains the compiled module, and the name of its constant. */
  readonly target: string;
  readonly constant: string;
  readonly title: string;
  /** Pages of 64 KiB at the start. */
  readonly memoryPages: number;
  /** True if the memory grows; otherwise views of it stay valid. */
  readonly growsMemory: boolean;
}

export const wasmModules: readonly WasmModule[] = [
  {
    package: 'results',
    source: 'row-writer.ts',
    target: 'encode/row-writer-module.ts',
    constant: 'rowWriterModule',
    title: 'The row writer',
    memoryPages: 32, // the columns of a block, and the rows that are made from them
    growsMemory: false,
  },
  {
    package: 'engine-duckdb',
    source: 'strings.ts',
    target: 'conversion/string-module.ts',
    constant: 'stringModule',
    title: 'The string assembler',
    memoryPages: 48, // the strings of one vector
    growsMemory: false,
  },
  {
    package: 'engine-pinot',
    source: 'rows.ts',
    target: 'answer/row-module.ts',
    constant: 'rowModule',
    title: 'The row parser',
    memoryPages: 64, // a row of many columns or of many bytes takes more
    growsMemory: true,
  },
];

/** Returns the path of the file that contains a compiled module. */
export function pathOfModule(module: WasmModule): string {
  return join(packages, module.package, 'src', module.target);
}

/**
 * Returns the text of that file, compiled from the current sources.
 *
 * @throws Error with the messages of the compiler, including warnings
 */
export async function compileModule(module: WasmModule): Promise<string> {
  const folder = join(packages, module.package);
  const memory = `--initialMemory ${module.memoryPages}`;
  const limit = module.growsMemory ? '' : ` --maximumMemory ${module.memoryPages}`;
  const options = `assembly/${module.source} --outFile module.wasm -O3 --converge --noAssert --enable simd --runtime stub --use abort= ${memory}${limit}`;
  let compiled = new Uint8Array(0);
  const stderr = asc.createMemoryStream();
  const { error } = await asc.main(options.split(' '), {
    readFile: (name) => readFile(join(folder, name), 'utf8').catch(() => null),
    writeFile: (_name, contents) => {
      compiled = Uint8Array.from(contents as Uint8Array);
    },
    listFiles: () => [],
    stderr,
  });
  const output = stderr.toString();
  if (error !== null || output !== '') {
    throw new Error(`${module.title} does not compile: ${output}`, { cause: error });
  }
  return [
    `/** ${module.title}, compiled from assembly/${module.source} by scripts/compile-wasm.ts. */`,
    `export const ${module.constant} =\n  '${Buffer.from(compiled).toString('base64')}';\n`,
  ].join('\n');
}

if (import.meta.main) {
  for (const module of wasmModules) {
    await writeFile(pathOfModule(module), await compileModule(module));
  }
}
