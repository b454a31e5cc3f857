/**
 * The plan of the repository: the packages, their allowed dependencies, and the owners of
 * dependencies.
 */

/** Level of every package. Imports point to a strictly lower level. */
export const levels: Readonly<Record<string, number>> = {
  core: 0,
  'store-file': 1,
  'store-s3': 1,
  'store-gcs': 1,
  'store-azure': 1,
  settings: 3,
  'engine-duckdb': 1,
  streams: 1,
  api: 1,
  auth: 1,
  bench: 1,
  flight: 1,
  results: 2,
  client: 2,
  tables: 2,
  'engine-pinot': 2,
  'table-server': 3,
  cleaner: 3,
  service: 3,
  broker: 4,
  proxy: 4,
  controller: 4,
  console: 4,
  server: 5,
  cli: 6,
};

/** Libraries that only the packages named here may import, by prefix of the module's name. */
export const owners: Readonly<Record<string, readonly string[]>> = {
  '@duckdb/': ['engine-duckdb'],
  '@aws-sdk/': ['store-s3'],
  '@google-cloud/': ['store-gcs'],
  '@azure/': ['store-azure'],
  '@fastify/': ['service'],
  fastify: ['service', 'broker', 'proxy', 'controller'],
  chokidar: ['settings'],
  croner: ['cleaner', 'table-server'],
  'fs-native-extensions': ['streams'],
  '@platformatic/kafka': ['streams'],
  '@opentelemetry/': ['server'],
};

/**
 * Packages that are published as a bundle of their modules: what they import is in it, and thus a
 * development dependency. Their dependencies are what the bundle leaves out.
 */
export const bundles: readonly string[] = ['cli'];

/** Packages that may load modules whose names come from settings, or from their parent process. */
export const pluginLoaders: readonly string[] = ['server'];

/**
 * Packages that may use all of apache-arrow, and its types that all packages may name. Previews in
 * `tables` sample its files.
 */
export const arrow = {
  packages: ['results', 'engine-duckdb', 'engine-pinot', 'tables', 'flight'],
  types: ['RecordBatch', 'Schema'],
};

/**
 * The packages that use the names of the HTTP interface, the folder of `core` that shares some of
 * them, and the names that no other code may use.
 */
export const wire = {
  folder: 'packages/core/src/wire/',
  packages: ['api', 'bench', 'broker', 'proxy', 'controller', 'client', 'cli', 'engine-pinot'],
  names: [
    'brokerHost',
    'dataSchema',
    'doPaginate',
    'nextOffsetParams',
    'numDocsScanned',
    'numRows',
    'numRowsResultSet',
    'numServersQueried',
    'numServersResponded',
    'prevOffsetParams',
    'responseMetadata',
    'resultMetadataList',
    'resultTable',
    'timeUsedMs',
    'totalDocs',
  ],
};

/**
 * Families, each member of which is described by one object in a list: the name by which code would
 * compare them, and their names. Code uses the object, and never compares.
 */
export const families: readonly {
  readonly family: string;
  readonly comparedBy: readonly string[];
  readonly members: readonly string[];
}[] = [
  { family: 'engines', comparedBy: ['kind'], members: ['embedded', 'pinot'] },
  { family: 'store backends', comparedBy: ['protocol', 'scheme'], members: ['file', 'memory'] },
];

/** The limits of lengths, so that readers need not scroll. */
export const linesMax = { file: 480, function: 105 };

/** The versions of Node that all packages support: those that all their dependencies support. */
export const packageNode = '>=22.22';
