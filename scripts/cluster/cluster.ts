import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ClusterPorts, type Part, settingsOf } from './cluster-ports.ts';
import { type ClusterStore, s3Server, storeSettings } from './cluster-store.ts';
import { Member, type Program } from './member.ts';

export interface ClusterOptions {
  /** The clone. */
  readonly root: string;
  /** The ports to listen on instead of those of config/cluster. */
  readonly ports: ClusterPorts | undefined;
  /** The directory of logs, and of results or the data of the S3 server. */
  readonly dataFolder: string;
  readonly store: ClusterStore;
  /** Called with a message when a process ends without having been stopped; the others continue. */
  readonly onUnexpectedEnd: (message: string) => void;
}

/**
 * The processes of config/cluster: started so that each finds those it depends on, and all stopped
 * when it is disposed.
 */
export class Cluster implements AsyncDisposable {
  readonly #options: ClusterOptions;
  readonly #members: Member[] = [];
  #isStopping = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  get logFolder(): string {
    return join(this.#options.dataFolder, 'logs');
  }

  /** Resolves when all of them serve. @throws Error with its output when one does not start */
  async start(): Promise<void> {
    await mkdir(this.logFolder, { recursive: true });
    const { store } = this.#options;
    if (store.kind === 's3-server') await this.#startS3Server(store.path);
    await this.#startAll([
      this.#quire('broker-1', 'broker1', 'broker'),
      this.#quire('broker-2', 'broker2', 'broker'),
    ]);
    await this.#startAll(
      (['proxy', 'controller', 'cleaner'] as const).map((role) => this.#quire(role, role, role)),
    );
  }

  /** Processes that call others stop first. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    for (const member of this.#members.toReversed()) await member.stop();
  }

  async #startAll(members: readonly Member[]): Promise<void> {
    if (this.#isStopping) throw new Error('The cluster was stopped before all of it had started.');
    this.#members.push(...members);
    await Promise.all(members.map((member) => member.start()));
  }

  async #startS3Server(path: string): Promise<void> {
    const { dataFolder } = this.#options;
    const [attributes, buckets] = [
      join(dataFolder, 's3/attributes'),
      join(dataFolder, 's3/buckets'),
    ];
    await mkdir(attributes, { recursive: true });
    await mkdir(join(buckets, s3Server.bucket), { recursive: true });
    const access = [
      '--access',
      s3Server.key,
      '--secret',
      s3Server.secret,
      '--region',
      s3Server.region,
    ];
    const place = ['posix', '--sidecar', attributes, buckets];
    const port = this.#s3Port;
    const args = ['--port', `127.0.0.1:${port}`, ...access, '--quiet', '--keep-alive', ...place];
    await this.#startAll([this.#member('s3-server', { kind: 'server', path, args, port })]);
  }

  get #s3Port(): number {
    return this.#options.ports?.s3 ?? s3Server.port;
  }

  #quire(name: string, part: Part, role: string): Member {
    const { root, ports, store, dataFolder } = this.#options;
    const main = [
      '--max-semi-space-size=2',
      '--conditions=@quire/source',
      join(root, 'packages/cli/bin/quire.cjs'),
      'start',
    ];
    const config = [
      '--roles',
      role,
      '--config',
      join(root, 'config/cluster', `${name}.properties`),
    ];
    const keepsResults = role === 'broker' || role === 'cleaner';
    const chosen = [
      ...(ports === undefined ? [] : settingsOf(part, ports)),
      ...(keepsResults ? storeSettings(store, resolve(dataFolder), this.#s3Port) : []),
    ];
    const sets = chosen.flatMap((setting) => ['--set', setting]);
    return this.#member(name, { kind: 'quire', args: [...main, ...config, ...sets] });
  }

  #member(name: string, program: Program): Member {
    const { root, onUnexpectedEnd } = this.#options;
    return new Member(program, {
      name,
      folder: root,
      logPath: join(this.logFolder, `${name}.log`),
      onUnexpectedEnd,
    });
  }
}
