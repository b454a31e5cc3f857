/** A client of another project, and the tests that run it, by file and a part of their names. */
export interface Compatibility {
  readonly client: string;
  readonly version: string;
  /** The calls that its tests make. */
  readonly what: string;
  /** The path of its tests, from the root. */
  readonly file: string;
  /** The name of their `describe`. */
  readonly suite: string;
  /** A limitation, if any. */
  readonly note?: string;
}

const generatedClients = 'test/src/client/generated.e2e.test.ts';
const flightDrivers = 'test/src/flight/drivers.e2e.test.ts';
const pinotClients = 'test/src/client/pinot-clients.e2e.test.ts';

/**
 * The rows of the table in packages/client/README.md; `npm run compatibility` runs their tests and
 * writes those that ran.
 */
export const compatibilities: readonly Compatibility[] = [
  {
    client: 'Apache Pinot for Java',
    version: '1.2.0',
    what: 'broker found through the controller, or a proxy given; all types, a failing query',
    file: pinotClients,
    suite: "Apache Pinot's client for Java",
  },
  {
    client: 'Apache Pinot for Java',
    version: '1.5.1',
    what: 'cursors: pages in any order, through controller and proxy',
    file: pinotClients,
    suite: "Apache Pinot's client for Java, release 1.5.1",
    note: 'its `ResultCursor.next()` gives the first page twice, with any server: page by `seekToPage`',
  },
  {
    client: 'pinot-client-go',
    version: '0.4.0',
    what: 'broker found through the controller; all types, a failing query',
    file: pinotClients,
    suite: "Apache Pinot's client for Go",
  },
  {
    client: 'pinotdb (Python)',
    version: '9.2.2',
    what: 'broker and proxy; all types, parameters, cursor options, the multi-stage path, a failing query',
    file: pinotClients,
    suite: "Apache Pinot's driver for Python",
  },
  {
    client: 'SQLAlchemy (Python, dialect of pinotdb)',
    version: '2.1.9',
    what: 'groups and sums, full names of tables, options, time grains of Superset',
    file: pinotClients,
    suite: "SQLAlchemy with Apache Pinot's dialect",
  },
  {
    client: 'openapi-python-client (generator)',
    version: '0.29.1',
    what: "clients generated from the broker's and the controller's API documents, with all calls; submit, page, delete",
    file: generatedClients,
    suite: 'The client that openapi-python-client generates',
  },
  {
    client: 'openapi-typescript (generator), with openapi-fetch',
    version: '7.13.0, 0.17.0',
    what: 'types of both API documents, in a compiled program; submit, page, delete',
    file: generatedClients,
    suite: 'The types that openapi-typescript generates',
  },
  ...['Go', 'Java', 'Python'].map((language) => ({
    client: `openapi-generator, client for ${language}`,
    version: '7.25.0',
    what: "a client generated from the broker's API document and compiled; submit, page, read a result's entry, delete",
    file: generatedClients,
    suite: `The client for ${language} that openapi-generator makes`,
  })),
  {
    client: 'Schemathesis (HTTP fuzzer)',
    version: '4.32.5',
    what: "calls of all operations of the broker's and the controller's API documents, with valid and invalid values: no 5xx, answers as documented",
    file: 'test/src/client/schemathesis.e2e.test.ts',
    suite: 'Schemathesis',
  },
  {
    client: 'ADBC for Flight SQL (Python), with polars and pandas',
    version: '1.13.0, 2.1.0, 3.1.1',
    what: 'login, every type against HTTP, parameters of every type, cancelling, objects and tables, failures; 100,000 rows into polars and pandas',
    file: flightDrivers,
    suite: 'ADBC, polars and pandas',
  },
  {
    client: 'Arrow Flight SQL JDBC driver',
    version: '18.3.0',
    what: 'login, all getters of DatabaseMetaData, tables and columns, types, parameters, 300,000 rows with and without `threadPoolSize`',
    file: flightDrivers,
    suite: "Apache Arrow's JDBC driver for Flight SQL",
    note: 'needs `--add-opens=java.base/java.nio=ALL-UNNAMED`; parameters without an inferred type take text only',
  },
  {
    client: "Apache Arrow's integration client for Flight (Go)",
    version: '18.8.0',
    what: 'its 12 scenarios, against scripted producers of the same server',
    file: 'test/src/flight/integration-client.integration.test.ts',
    suite: "Apache Arrow's integration client for Flight",
  },
  {
    client: 'arrow-flight (Rust crate)',
    version: '60.1.0',
    what: 'login, a wrong password, tables with their schemas, types, a parameter, 3 million rows, a failing query',
    file: flightDrivers,
    suite: 'The crate arrow-flight',
  },
  {
    client: '@firetiger-oss/flight-sql-client (npm)',
    version: '1.1.1',
    what: 'a bearer token, rows, a failing query',
    file: 'test/src/flight/npm-clients.integration.test.ts',
    suite: '@firetiger-oss/flight-sql-client',
  },
  {
    client: '@lancedb/arrow-flight-sql-client (npm)',
    version: '0.3.0',
    what: 'login, rows, a wrong password',
    file: 'test/src/flight/npm-clients.integration.test.ts',
    suite: '@lancedb/arrow-flight-sql-client',
  },
];

/** Lines before and after the table. */
export const tableMarks = [
  '<!-- compatibility: written by npm run compatibility -->',
  '<!-- compatibility: end -->',
] as const;

/** A row of the table in Markdown. */
export function rowOf({ client, version, what, note }: Compatibility): string {
  return `| ${client} | ${version} | ${what} | works${note === undefined ? '' : `; ${note}`} |`;
}
