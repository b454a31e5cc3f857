import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { buildImage } from '../../../deploy/image/build.ts';
import { until } from '../testkit/until.ts';

/** The configuration of an image. */
interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Labels: Readonly<Record<string, string>>;
}

/** The image, built by buildah in a store of its own, and its root directory. */
export class BuiltImage implements Disposable {
  readonly folder: string;
  readonly config: ImageConfig;
  readonly sizeBytes: number;
  /** The folder of its files, which a container has at `/`. */
  readonly rootFolder: string;

  private constructor(
    folder: string,
    image: Pick<BuiltImage, 'config' | 'sizeBytes' | 'rootFolder'>,
  ) {
    this.folder = folder;
    this.config = image.config;
    this.sizeBytes = image.sizeBytes;
    this.rootFolder = image.rootFolder;
  }

  /** Builds it on the base image that `.ci/run` has prepared. */
  static async build(baseFolder: string): Promise<BuiltImage> {
    const folder = await mkdtemp(join(tmpdir(), 'quire-image-'));
    const places = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
    const buildahArgs = [...places, '--storage-driver', 'vfs'];
    await buildImage({ workFolder: join(folder, 'work'), baseFolder, tag: 'quire', buildahArgs });
    const buildah = (...args: readonly string[]): string =>
      execFileSync('buildah', [...buildahArgs, ...args], {
        encoding: 'utf8',
        maxBuffer: 16 * 1024 * 1024,
      }).trim();
    const inspected = JSON.parse(buildah('inspect', '--type', 'image', 'quire')) as {
      readonly Docker: { readonly config: ImageConfig };
    };
    const container = buildah('from', '--pull-never', 'quire');
    const rootFolder = buildah('mount', container);
    const sizeBytes = Number(
      execFileSync('du', ['-sb', rootFolder], { encoding: 'utf8' }).split('\t')[0],
    );
    return new BuiltImage(folder, { config: inspected.Docker.config, sizeBytes, rootFolder });
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface ContainerOptions {
  readonly variables?: Readonly<Record<string, string>>;
  /** Replaces the command of the image. */
  readonly command?: readonly string[];
  /** The system calls that it may make; others fail with EPERM. Default: all. */
  readonly syscalls?: readonly string[] | undefined;
}

let count = 0;

/**
 * A container that crun runs of an image: its user, no capability, no new privileges, a read-only
 * root file system, a process table of its own. Its network is that of this machine.
 */
export class Container implements AsyncDisposable {
  readonly #id: string;
  readonly #state: string;
  readonly #imageVariables: readonly string[];
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  output = '';

  constructor(
    image: BuiltImage,
    { variables = {}, command = image.config.Cmd, syscalls }: ContainerOptions,
  ) {
    this.#id = `quire-${process.pid}-${(count += 1)}`;
    this.#imageVariables = image.config.Env;
    const folder = join(image.folder, this.#id);
    this.#state = join(folder, 'state');
    const env = [...image.config.Env, ...Object.entries(variables).map((each) => each.join('='))];
    mkdirSync(this.#state, { recursive: true });
    const [uid = 0, gid = 0] = image.config.User.split(':').map(Number);
    const volumes = Object.keys(image.config.Volumes).map((destination, index) => {
      const source = join(folder, `volume-${index}`);
      mkdirSync(source);
      chownSync(source, uid, gid);
      return { destination, type: 'bind', source, options: ['bind', 'rw'] };
    });
    const none = { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] };
    const bundle = {
      ociVersion: '1.0.2',
      process: {
        user: { uid, gid },
        args: [...image.config.Entrypoint, ...command],
        env,
        cwd: '/',
        capabilities: none,
        noNewPrivileges: true,
      },
      root: { path: image.rootFolder, readonly: true },
      mounts: [
        { destination: '/proc', type: 'proc', source: 'proc' },
        { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
        ...volumes,
      ],
      linux: {
        namespaces: ['pid', 'mount', 'ipc'].map((type) => ({ type })),
        ...(syscalls === undefined ? {} : { seccomp: filterOf(syscalls) }),
      },
    };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(bundle));
    const args = ['--cgroup-manager=disabled', 'run', '--bundle', folder, this.#id];
    this.#child = this.#crun(args, 'pipe');
    this.#closed = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += stripVTControlCharacters(text);
      });
    }
  }

  /** Resolves to the first match in its output. */
  async untilPrinted(pattern: RegExp): Promise<RegExpExecArray> {
    await until(
      () => pattern.test(this.output) || this.#child.exitCode !== null,
      `the container has printed ${String(pattern)}`,
    );
    const match = pattern.exec(this.output);
    if (match === null) throw new Error(`The container ended: ${this.output}`);
    return match;
  }

  /** Resolves once the first process of the container has started another one. */
  async untilStarted(): Promise<void> {
    const hasChild = (): boolean => {
      try {
        const { pid } = JSON.parse(
          execFileSync('crun', ['--root', this.#state, 'state', this.#id], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'ignore'],
          }),
        ) as { readonly pid: number };
        return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim() !== '';
      } catch {
        return false; // not created yet
      }
    };
    await until(hasChild, 'the container has started its program');
  }

  /** Sends a signal to its first process. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    execFileSync('crun', ['--root', this.#state, 'kill', this.#id, name], { stdio: 'pipe' });
  }

  /** The exit code of its first process, once that has ended. */
  async ended(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }

  /** Runs a program in it, as health checks are, and returns its exit code. */
  async run(
    program: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<number | null> {
    const own = Object.entries(variables).map((each) => each.join('='));
    // crun 1.8 reads these instead of the variables of the container.
    const env = [...this.#imageVariables, ...own].flatMap((each) => ['--env', each]);
    const child = this.#crun(['exec', ...env, this.#id, ...program], 'ignore');
    await once(child, 'close');
    return child.exitCode;
  }

  /**
   * Runs crun without control groups: limits do not matter here, and it refuses machines with
   * control groups of both versions.
   */
  #crun(args: readonly string[], stdio: 'pipe' | 'ignore'): ChildProcess {
    const script = 'mount -t tmpfs none /sys/fs/cgroup && exec crun --root "$@"';
    const shell = ['sh', '-c', script, 'sh', this.#state, ...args];
    // Servers may run at any priority: this one has a lower one than its workers would have by
    // themselves.
    return spawn('nice', ['-n', '10', 'unshare', '--mount', '--propagation', 'private', ...shell], {
      stdio: ['ignore', stdio, stdio],
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) this.signal('SIGKILL');
    await this.#closed;
  }
}

/** A filter that allows these system calls and refuses all others. */
function filterOf(names: readonly string[]): object {
  const eperm = 1;
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: eperm,
    syscalls: [{ names, action: 'SCMP_ACT_ALLOW' }],
  };
}
