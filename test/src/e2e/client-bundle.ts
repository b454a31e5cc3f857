import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'vite';

const entry = join(import.meta.dirname, '../../../packages/client/src/index.ts');

export interface ClientBundle {
  /** One ES module: the client and all that it imports. */
  readonly code: string;
  /** Modules of Node that something in it imports, with who does: a browser has none of them. */
  readonly builtinImports: readonly string[];
  /** Files that went into it. */
  readonly moduleCount: number;
}

/** The client bundled for browsers, without a polyfill for anything. */
export async function bundleClient(format: 'es' | 'iife'): Promise<ClientBundle> {
  const builtinImports: string[] = [];
  const modules = new Set<string>();
  const outputs = await build({
    configFile: false,
    logLevel: 'error',
    root: import.meta.dirname,
    resolve: { conditions: ['@quire/source', 'browser', 'module'] },
    plugins: [
      {
        name: 'name-builtins',
        enforce: 'pre',
        resolveId(source, importer) {
          if (isBuiltin(source)) builtinImports.push(`${importer ?? 'nobody'} imports ${source}`);
          return null;
        },
        moduleParsed({ id }) {
          modules.add(id);
        },
      },
    ],
    build: {
      write: false,
      minify: false,
      target: 'es2023',
      lib: { entry, formats: [format], name: 'quire' },
    },
  });
  const [output] = Array.isArray(outputs) ? outputs : [outputs];
  if (output === undefined || !('output' in output)) throw new Error('The bundler watches instead of building.');
  return { code: output.output[0].code, builtinImports, moduleCount: modules.size };
}
