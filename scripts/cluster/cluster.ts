import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClusterPorts, type Part, settingsOf } from './cluster-ports.ts';
import { Member, type Program } from './member.ts';

export interface ClusterOptions {
  /** The clone. */
  readonly root: string;
  /** What to listen on instead of what stands in config/cluster. */
  readonly ports: ClusterPorts | undefined;
  /** Where logs, and the data of the S3 server, go. */
  readonly dataFolder: string;
  /** A versitygw to start; without it, the settings name a server that runs. */
  readonly s3ServerPath: string | undefined;
  /** Told, in words, when a process ends that nobody has stopped: the others go on. */
  readonly onUnexpectedEnd: (message: string) => void;
}

/** The S3 server as it stands in config/cluster. */
const s3 = { key: 'quire', secret: 'quire-secret', region: 'eu-central-1', bucket: 'results', port: 7070 } as const;

/** The processes of config/cluster: started in an order that lets each find what it needs, and all stopped when it is disposed. */
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

  /** Resolves when all of them serve. @throws Error when one does not start, with what it said */
  async start(): Promise<void> {
    await mkdir(this.logFolder, { recursive: true });
    if (this.#options.s3ServerPath !== undefined) await this.#startS3Server(this.#options.s3ServerPath);
    await this.#startAll([this.#quire('broker-1', 'broker1', 'broker'), this.#quire('broker-2', 'broker2', 'broker')]);
    await this.#startAll((['proxy', 'controller', 'cleaner'] as const).map((role) => this.#quire(role, role, role)));
  }

  /** Those who call others stop first. */
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
    const { dataFolder, ports } = this.#options;
    const [attributes, buckets] = [join(dataFolder, 's3/attributes'), join(dataFolder, 's3/buckets')];
    await mkdir(attributes, { recursive: true });
    await mkdir(join(buckets, s3.bucket), { recursive: true });
    const access = ['--access', s3.key, '--secret', s3.secret, '--region', s3.region];
    const place = ['posix', '--sidecar', attributes, buckets];
    const port = ports?.s3 ?? s3.port;
    const args = ['--port', `127.0.0.1:${port}`, ...access, '--quiet', '--keep-alive', ...place];
    await this.#startAll([this.#member('s3-server', { kind: 'server', path, args, port })]);
  }

  #quire(name: string, part: Part, role: string): Member {
    const { root, ports } = this.#options;
    const main = ['--max-semi-space-size=2', '--conditions=@quire/source', join(root, 'packages/cli/bin/quire.cjs'), 'start'];
    const config = ['--roles', role, '--config', join(root, 'config/cluster', `${name}.properties`)];
    const sets = (ports === undefined ? [] : settingsOf(part, ports)).flatMap((setting) => ['--set', setting]);
    return this.#member(name, { kind: 'quire', args: [...main, ...config, ...sets] });
  }

  #member(name: string, program: Program): Member {
    const { root, onUnexpectedEnd } = this.#options;
    return new Member(program, { name, folder: root, logPath: join(this.logFolder, `${name}.log`), onUnexpectedEnd });
  }
}
