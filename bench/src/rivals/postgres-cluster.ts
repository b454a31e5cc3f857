import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chown, mkdir, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { BenchTable } from '../data/tables.ts';
import { endWithUs } from '../process/end-with-us.ts';

const run = promisify(execFile);
const debianDirectory = '/usr/lib/postgresql';

/** The user and the database: a private cluster needs no password on its own socket. */
export const postgresDatabase = { user: 'bench', database: 'postgres' };

/** A private PostgreSQL of the benchmark, which listens only on a socket in its directory. */
export class PostgresCluster implements AsyncDisposable {
  readonly socketDirectory: string;
  readonly #end: () => Promise<void>;

  private constructor(socketDirectory: string, end: () => Promise<void>) {
    this.socketDirectory = socketDirectory;
    this.#end = end;
  }

  /** Creates and starts a cluster, and loads a CSV file as the table `t`. */
  static async start(
    binaries: string,
    directory: string,
    table: BenchTable,
    csv: string,
  ): Promise<PostgresCluster> {
    await mkdir(directory, { recursive: true });
    const user = await unprivilegedUser();
    if (user.uid !== undefined && user.gid !== undefined) {
      await chown(directory, user.uid, user.gid);
    }
    const data = join(directory, 'data');
    await run(
      join(binaries, 'initdb'),
      ['-D', data, '-U', postgresDatabase.user, '-A', 'trust', '-N', '-E', 'UTF8', '--no-locale'],
      {
        ...user,
        cwd: directory,
      },
    );
    const settings = [
      'listen_addresses=',
      `unix_socket_directories=${directory}`,
      'fsync=off',
      'shared_buffers=512MB',
      'work_mem=1GB',
    ];
    const server = spawn(
      join(binaries, 'postgres'),
      ['-D', data, ...settings.flatMap((each) => ['-c', each])],
      {
        ...user,
        cwd: directory,
        stdio: 'ignore',
      },
    );
    endWithUs(server, 'SIGQUIT');
    const cluster = new PostgresCluster(directory, async () => {
      if (server.exitCode !== null) return;
      const exit = once(server, 'exit');
      server.kill('SIGINT'); // a fast shutdown: clients are cut off
      await exit;
    });
    try {
      await load(directory, table, csv);
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }
}

/**
 * Finds PostgreSQL's programs on the path, or in Debian's directories; undefined when it is not
 * installed.
 */
export async function findPostgres(): Promise<string | undefined> {
  const versions = await readdir(debianDirectory).catch(() => []);
  const directories = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => join(debianDirectory, version, 'bin')),
  ];
  for (const directory of directories) {
    const hasBoth = await Promise.all(
      ['initdb', 'postgres'].map((name) => access(join(directory, name))),
    ).then(
      () => true,
      () => false,
    );
    if (hasBoth) return directory;
  }
  return undefined;
}

async function load(socketDirectory: string, { columns }: BenchTable, csv: string): Promise<void> {
  const client = await connect(socketDirectory);
  try {
    await client.query(
      `CREATE TABLE t (${columns.map(({ name, postgresType }) => `${name} ${postgresType}`).join(', ')})`,
    );
    await client.query(`COPY t FROM '${csv}' (FORMAT csv)`);
    await client.query('VACUUM ANALYZE t');
  } finally {
    await client.end();
  }
}

/** A server that is starting refuses connections for a moment. */
async function connect(socketDirectory: string): Promise<pg.Client> {
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ host: socketDirectory, ...postgresDatabase });
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (attempt === 200) throw error;
      await setTimeout(50);
    }
  }
}

/** PostgreSQL refuses to run as root; then it runs as the user that its package has created. */
async function unprivilegedUser(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const idOf = async (option: string): Promise<number> =>
    Number((await run('id', [option, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}
