import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program that the README of a package prints. */
export interface ReadmeProgram {
  /**
   * Its file in the project of a stranger: the one that its first line names (`// my-worker.ts`),
   * or else `readme-core-1.ts`.
   */
  readonly file: string;
  readonly text: string;
  /** True if it runs without a server, a bucket or files that are absent here. */
  readonly isRun: boolean;
}

/** The files that these need and a fresh project lacks. */
const supportFiles: Readonly<Record<string, string>> = {
  'readme-api-1.ts': 'throws on purpose, as its comment says',
  'readme-bench-1.ts': 'measures a server; bench.e2e.test.ts runs the command',
  'here-store.ts': 'is loaded by a server',
  'my-engine.ts': 'is loaded by a server',
  'readme-client-1.ts': 'speaks with the quickstart; client-readme.test.ts runs it',
  'readme-core-2.ts': 'is a suite for Vitest',
  'readme-engine-duckdb-1.ts': 'reads /data/flights',
  'readme-engine-pinot-1.ts': 'speaks with a Pinot cluster',
  'readme-settings-1.ts': 'reads the settings of the quickstart',
  'readme-store-file-1.ts': 'writes to /var/lib/quire',
  'readme-store-azure-1.ts': 'needs a container',
  'readme-store-gcs-1.ts': 'needs a bucket',
  'readme-store-s3-1.ts': 'needs a bucket',
  'readme-tables-2.ts': 'reads /srv/incoming',
};

const outputs: Readonly<Record<string, RegExp>> = {
  'readme-broker-1.ts': /^offset=2&numRows=2 n\n1006\n1007\n\n$/,
  'readme-cleaner-1.ts': /\n1 0\n$/,
  'readme-controller-1.ts': /status: 'degraded'/,
  'readme-proxy-1.ts': /^1\.1 quire-proxy \{"resultTable":\{"rows":\[\[42\]\]\}\}\n$/,
  'readme-core-3.ts': /^Uint8Array\(2\) \[ 2, 3 \]\n4\n$/,
  'readme-results-1.ts': /^\[\[999998\],\[999999\]\]$/,
  'readme-server-1.ts': /^\[ \[ 42 \] \]\n$/,
  'readme-service-1.ts': /^200 \["Bearer me"\]\n$/,
  'readme-streams-1.ts': /^\{ row: .*id: 1/,
  'readme-table-server-1.ts': /^3\n$/,
};

/** All programs in TypeScript that the READMEs of the packages print, in their order. */
export function readmePrograms(packages: string): readonly ReadmeProgram[] {
  const folders = readdirSync(packages, { withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  );
  return folders.flatMap(({ name }) => {
    const readme = readFileSync(join(packages, name, 'README.md'), 'utf8');
    return Array.from(readme.matchAll(/```ts\n([\s\S]*?)```/g), ([, text = ''], index) => {
      const [, file = `readme-${name}-${index + 1}.ts`] = /^\/\/ ([\w-]+\.ts)\n/.exec(text) ?? [];
      // Without an import of its own, a file would share its names with the others.
      return { file, text: `${text}\nexport {};\n`, isRun: !(file in supportFiles) };
    });
  });
}

/** Returns the output of a program: as its README states, or any output without a failure. */
export function outputOf(file: string): RegExp {
  return outputs[file] ?? /^/;
}
