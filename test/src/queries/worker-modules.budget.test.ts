import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** Prints the packages, ours and others', from which importing a module loads files. */
const listPackages = `
  const packages = new Set();
  require('node:module').registerHooks({
    load(url, context, next) {
      packages.add(
        /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ??
          /packages\\/([^/]+(?:\\/src\\/settings(?=[.]ts))?)/.exec(url)?.[1]?.replace('/src/', '/'),
      );
      return next(url, context);
    },
  });
  import(process.argv[1]).then(() => console.log(JSON.stringify([...packages].filter((each) => each !== undefined))));
`;

function packagesOf(module: string): readonly string[] {
  const args = ['--conditions=@quire/source', '-e', listPackages, join(root, module)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as string[];
}

test('a process of queries loads what queries need: neither the rules of tables nor streams nor a server', () => {
  const packages = [
    ...packagesOf('packages/server/src/queries/query-kind.ts'),
    ...packagesOf('packages/server/src/queries/run-queries.ts'),
    // Loaded by the kind of its engine.
    ...packagesOf('packages/engine-duckdb/src/index.ts'),
    ...packagesOf('packages/table-server/src/queries/index.ts'),
  ];
  expect(packages).toEqual(expect.arrayContaining(['engine-duckdb', 'results', 'table-server']));
  for (const heavy of [
    'tables',
    'streams',
    'typebox',
    'hyparquet',
    'fastify',
    'prom-client',
    'yaml',
  ]) {
    expect(packages).not.toContain(heavy);
  }
});

test('a server loads the client of Kafka, and the SDKs of buckets, only when it has such a stream or store', () => {
  const packages = packagesOf('packages/server/src/engines/embedded-tables.ts');
  expect(packages).toEqual(expect.arrayContaining(['table-server', 'streams']));
  for (const heavy of ['@platformatic/kafka', '@aws-sdk/client-s3', '@google-cloud/storage']) {
    expect(packages).not.toContain(heavy);
  }
});

test('the modules that describe kinds of engines and of queries load the rows of their settings, and neither engine nor store', () => {
  const packages = [
    ...packagesOf('packages/server/src/engines/engine-kinds.ts'),
    ...packagesOf('packages/server/src/queries/query-kind.ts'),
  ];
  expect([...new Set(packages)].toSorted()).toEqual([
    'core',
    'engine-duckdb/settings',
    'engine-pinot/settings',
    'server',
  ]);
});

test('a server and its workers load OpenTelemetry only when traces are exported', () => {
  for (const module of [
    'packages/server/src/index.ts',
    'packages/server/src/start/run-broker.ts',
    'packages/server/src/start/run-proxy.ts',
    'packages/server/src/workers/worker-loop.ts',
  ]) {
    const packages = packagesOf(module);
    expect(packages).toContain('core');
    // The types of the API load a package of others, which registers nothing.
    const ofSdk = packages.filter((name) => /^@opentelemetry\/(?!api$)/.test(name));
    expect(ofSdk).toEqual([]);
  }
  expect(packagesOf('packages/server/src/tracing/export-spans.ts')).toContain(
    '@opentelemetry/sdk-trace',
  );
});
