import { isBuiltin } from 'node:module';
import { build } from 'vite';

/** A program for browsers. */
export interface BrowserBundle {
  /** One script: the program and all that it imports. */
  readonly code: string;
  /**
   * Modules of Node that a file in the bundle imports, with the importer: a browser has none of
   * them.
   */
  readonly builtinImports: readonly string[];
  /** The files of the bundle. */
  readonly moduleCount: number;
}

/**
 * Bundles a program for browsers, without polyfills; as `iife` its exports are the global `quire`.
 */
export async function bundleForBrowsers(
  entry: string,
  format: 'es' | 'iife',
  minify = false,
): Promise<BrowserBundle> {
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
      minify,
      target: 'es2023',
      modulePreload: false,
      lib: { entry, formats: [format], name: 'quire' },
    },
  });
  const [output] = Array.isArray(outputs) ? outputs : [outputs];
  if (output === undefined || !('output' in output)) {
    throw new Error('The bundler watches instead of building.');
  }
  return { code: output.output[0].code, builtinImports, moduleCount: modules.size };
}
