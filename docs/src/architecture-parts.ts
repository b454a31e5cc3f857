/** A part of a running system in the picture of the architecture. */
export interface Part {
  readonly name: string;
  readonly does: string;
  /** The packages that it is made of; a test finds each package in exactly one part. */
  readonly packages: readonly string[];
  /** The thirds of the width that it spans: [0, 3] is the whole width. */
  readonly span: readonly [from: number, to: number];
}

/** The parts from top to bottom, each row from left to right. */
export const rows: readonly (readonly Part[])[] = [
  [
    {
      name: 'Arrow Flight SQL',
      does: 'for data tools: ADBC, JDBC',
      packages: ['flight'],
      span: [0, 1],
    },
    { name: 'Clients', does: 'for programs, over HTTP', packages: ['client'], span: [1, 2] },
    {
      name: 'Command and console',
      does: 'for people',
      packages: ['cli', 'console', 'bench'],
      span: [2, 3],
    },
  ],
  [{ name: 'Proxy', does: 'one address for many brokers', packages: ['proxy'], span: [1, 2] }],
  [
    {
      name: 'Broker',
      does: 'runs a query once, stores its answer, serves any page of it',
      packages: ['broker'],
      span: [0, 2],
    },
    {
      name: 'Controller',
      does: 'manages brokers and tables',
      packages: ['controller'],
      span: [2, 3],
    },
  ],
  [
    {
      name: 'Results',
      does: 'files, page plans, expiry, quota',
      packages: ['results', 'cleaner'],
      span: [0, 1],
    },
    {
      name: 'SQL engines',
      does: 'SQL in, Arrow batches out',
      packages: ['engine-duckdb', 'engine-pinot'],
      span: [1, 2],
    },
    {
      name: 'Tables',
      does: 'ingestion, segments, tasks',
      packages: ['tables', 'table-server'],
      span: [2, 3],
    },
  ],
  [
    {
      name: 'Stores',
      does: 'a directory, Amazon S3, Google Cloud Storage, Azure Blob Storage',
      packages: ['store-file', 'store-s3', 'store-gcs', 'store-azure'],
      span: [0, 2],
    },
    { name: 'Streams', does: 'Apache Kafka, JSON lines', packages: ['streams'], span: [2, 3] },
  ],
  [
    {
      name: 'Shared by all services',
      does: 'roles in one process or in many, HTTP, authentication, settings',
      packages: ['server', 'service', 'api', 'auth', 'settings'],
      span: [0, 2],
    },
    { name: 'Core', does: 'ports, errors, clock', packages: ['core'], span: [2, 3] },
  ],
];

/** The calls between parts: the caller, the called part, and the data. */
export const calls: readonly (readonly [from: string, to: string, label: string])[] = [
  ['Arrow Flight SQL', 'Broker', 'gRPC'],
  ['Clients', 'Proxy', 'HTTP'],
  ['Proxy', 'Broker', 'HTTP'],
  ['Command and console', 'Controller', 'HTTP'],
  ['Controller', 'Broker', ''],
  ['Broker', 'Results', 'pages'],
  ['Broker', 'SQL engines', 'queries'],
  ['SQL engines', 'Results', ''],
  ['SQL engines', 'Tables', ''],
  ['Controller', 'Tables', ''],
  ['Results', 'Stores', 'byte ranges'],
  ['Tables', 'Streams', 'messages'],
];
