import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../process/node-arguments.ts';

const run = promisify(execFile);

/** Finds Python with the drivers, if `.ci/run` has installed it; else undefined. */
export function findPython(): string | undefined {
  const path = process.env['QUIRE_PYTHON'] ?? join(repositoryRoot, '.cache/python/bin/python');
  return existsSync(path) ? path : undefined;
}

/** The data to read, and its server. */
export interface PythonRead {
  readonly sql: string;
  readonly url: string;
}

const timed = (connection: string): string => `
import json, sys, time, pandas
sql, url, token = sys.argv[1:]
${connection}
startedAt = time.perf_counter()
frame = read()
print(json.dumps([1000 * (time.perf_counter() - startedAt), len(frame)]))
`;

const byAdbc = timed(`
import adbc_driver_flightsql.dbapi as adbc
connection = adbc.connect(url, db_kwargs={'adbc.flight.sql.authorization_header': 'Bearer ' + token}, autocommit=True)
def read(): return pandas.read_sql(sql, connection)
`);

const byPinotdb = timed(`
import pinotdb, urllib.parse
place = urllib.parse.urlsplit(url)
connection = pinotdb.connect(host=place.hostname, port=place.port, path='/query/sql', scheme='http', extra_request_headers='authorization=Bearer ' + token)
def read():
    cursor = connection.cursor()
    cursor.execute(sql)
    return pandas.DataFrame(cursor.fetchall(), columns=[column[0] for column in cursor.description])
`);

/** Reads a query into pandas by ADBC or by pinotdb; resolves with its milliseconds and rows. */
export async function readByPython(
  python: string,
  driver: 'adbc' | 'pinotdb',
  { sql, url }: PythonRead,
): Promise<{ readonly elapsedMs: number; readonly rowCount: number }> {
  const program = driver === 'adbc' ? byAdbc : byPinotdb;
  const { stdout } = await run(python, ['-c', program, sql, url, 'bench']);
  const [elapsedMs = NaN, rowCount = NaN] = JSON.parse(stdout) as number[];
  return { elapsedMs, rowCount };
}
