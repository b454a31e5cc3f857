import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { freePort } from '../../../scripts/free-port.ts';
import { endWithUs } from '../process/end-with-us.ts';
import { repositoryRoot } from '../process/node-arguments.ts';

const startMsMax = 10_000;

/** A real nginx with one worker, which sends files of a directory by `sendfile`. */
export class NginxServer implements AsyncDisposable {
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#process = child;
    this.url = url;
  }

  /**
   * Starts a server; it writes its own files into `directory`.
   *
   * @throws Error when it does not answer
   */
  static async start(program: string, root: string, directory: string): Promise<NginxServer> {
    await mkdir(directory, { recursive: true });
    // nginx does not report which port it has chosen.
    const port = await freePort();
    const configuration = join(directory, 'nginx.conf');
    await writeFile(configuration, configurationOf(root, directory, port));
    const child = spawn(program, ['-p', directory, '-c', configuration], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    endWithUs(child, 'SIGTERM');
    const server = new NginxServer(child, `http://127.0.0.1:${port}`);
    await server.#untilReady();
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await exit;
  }

  async #untilReady(): Promise<void> {
    const endMs = performance.now() + startMsMax;
    while (performance.now() < endMs && this.#process.exitCode === null) {
      try {
        await (await request(`${this.url}/ready`)).body.dump();
        return;
      } catch {
        await setTimeout(20); // it does not listen yet
      }
    }
    throw new Error('nginx does not answer.');
  }
}

/** Finds nginx where Debian puts it, or where `.ci/run` does; undefined when there is none. */
export async function findNginx(): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  const candidates = [
    ...folders.map((folder) => join(folder, 'nginx')),
    join(repositoryRoot, '.cache/nginx/usr/sbin/nginx'),
  ];
  for (const candidate of candidates) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  return undefined;
}

function configurationOf(root: string, directory: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${directory}/${name};`,
  );
  return [
    'daemon off;',
    'worker_processes 1;',
    // The files belong to the user of the benchmark.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    `pid ${directory}/nginx.pid;`,
    `error_log ${directory}/error.log;`,
    'events { worker_connections 256; }',
    'http {',
    ...temporary,
    '  access_log off;',
    '  sendfile on;',
    '  tcp_nopush on;',
    '  keepalive_requests 100000000;',
    '  keepalive_timeout 600s;',
    '  open_file_cache max=1000;',
    `  server { listen 127.0.0.1:${port}; root ${root}; location = /ready { return 204; } }`,
    '}',
    '',
  ].join('\n');
}
