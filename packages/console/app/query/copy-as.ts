/** A program that reads the rows of a query, in a language. */
export interface CodeSample {
  readonly title: string;
  readonly codeOf: (sql: string, origin: string) => string;
}

/** The languages that a query can be copied in. The token is requested by its usual name there. */
export const codeSamples: readonly CodeSample[] = [
  {
    title: 'curl',
    codeOf: (sql, origin) =>
      [
        `curl '${origin}/query/sql' \\`,
        '  -H "Authorization: Bearer $QUIRE_TOKEN" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d ${shellQuoted(JSON.stringify({ sql }))}`,
      ].join('\n'),
  },
  {
    title: 'TypeScript',
    codeOf: (sql, origin) =>
      [
        "import { QuireClient } from '@quire/client';",
        '',
        'const token = process.env.QUIRE_TOKEN;',
        `const client = new QuireClient({ baseUrl: ${JSON.stringify(origin)}, token });`,
        `await using cursor = await client.query(${templateOf(sql)}, { rowCount: 1000 });`,
        'for (const row of cursor.page.rows) console.log(row);',
      ].join('\n'),
  },
  {
    title: 'Python, pinotdb',
    codeOf: (sql, origin) => {
      const { hostname, port, protocol } = new URL(origin);
      const scheme = protocol.replace(':', '');
      const portNumber = port === '' ? (scheme === 'https' ? '443' : '80') : port;
      return [
        'import os',
        'from pinotdb import connect',
        '',
        'headers = "Authorization=Bearer " + os.environ["QUIRE_TOKEN"]',
        `connection = connect(host="${hostname}", port=${portNumber}, path="/query/sql", scheme="${scheme}", extra_request_headers=headers)`,
        'cursor = connection.cursor()',
        `cursor.execute(${pythonText(sql)})`,
        'print(cursor.fetchall())',
      ].join('\n');
    },
  },
  {
    title: 'Python, ADBC',
    codeOf: (sql, origin) => {
      const { hostname, protocol } = new URL(origin);
      return [
        'import os',
        'import adbc_driver_flightsql.dbapi as adbc',
        '',
        "# The broker's own address: engine.broker.flight.port, 8815 in the quickstart.",
        'login = {"adbc.flight.sql.authorization_header": "Bearer " + os.environ["QUIRE_TOKEN"]}',
        `with adbc.connect("grpc${protocol === 'https:' ? '+tls' : ''}://${hostname}:8815", db_kwargs=login, autocommit=True) as connection:`,
        '    with connection.cursor() as cursor:',
        `        cursor.execute(${pythonText(sql)})`,
        '        print(cursor.fetch_arrow_table())',
      ].join('\n');
    },
  },
];

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function templateOf(text: string): string {
  return `\`${text.replaceAll(/[`\\]|\$\{/g, String.raw`\$&`)}\``;
}

/** JSON's escapes are Python's as well, except that characters beyond 16 bits are kept. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}
