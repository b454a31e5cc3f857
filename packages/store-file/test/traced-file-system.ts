import { type FileSystem, nodeFileSystem } from '@quire/store-file';

export type FileOperation = keyof FileSystem;

/** One call to the file system, reported before it runs. */
export interface TracedCall {
  readonly operation: FileOperation;
  /** The path, or the path that the descriptor was opened with; below the root without it. */
  readonly path: string;
  /** Counts the calls from 1. */
  readonly number: number;
}

/** Node's file system, which records its calls, and lets a test fail one. */
export class TracedFileSystem {
  readonly root: string;
  readonly calls: TracedCall[] = [];
  /** Runs before each call; may throw in its place. */
  before: (call: TracedCall) => void | Promise<void> = () => undefined;
  /** Replacements of single operations. */
  overrides: Partial<FileSystem> = {};
  readonly fileSystem: FileSystem;
  readonly #pathsOfOpen = new Map<number, string>();

  constructor(root: string) {
    this.root = root;
    const names = Object.keys(nodeFileSystem) as FileOperation[];
    const isAtOnce = (name: FileOperation): boolean =>
      name === 'statusOfOpen' || name === 'readSync';
    const entries = names
      .filter((name) => !isAtOnce(name))
      .map((name) => [name, this.#traced(name)]);
    this.fileSystem = {
      ...nodeFileSystem,
      ...(Object.fromEntries(entries) as Partial<FileSystem>),
      statusOfOpen: (fd) => nodeFileSystem.statusOfOpen(fd),
    };
  }

  /** The calls so far as `operation path`. */
  get log(): string[] {
    return this.calls.map(({ operation, path }) => `${operation} ${path}`);
  }

  get openCount(): number {
    return this.#pathsOfOpen.size;
  }

  count(operation: FileOperation): number {
    return this.calls.filter((call) => call.operation === operation).length;
  }

  reset(): void {
    this.calls.length = 0;
  }

  #traced(operation: FileOperation): (...args: unknown[]) => Promise<unknown> {
    return async (...args) => {
      const target = args[0] as string | number;
      const path =
        typeof target === 'number'
          ? (this.#pathsOfOpen.get(target) ?? `closed ${target}`)
          : this.#shortened(target);
      const call = { operation, path, number: this.calls.length + 1 };
      this.calls.push(call);
      if (operation === 'close') this.#pathsOfOpen.delete(target as number);
      await this.before(call);
      const run = (this.overrides[operation] ?? nodeFileSystem[operation]) as (
        ...args: unknown[]
      ) => Promise<unknown>;
      const result = await run(...args);
      if (operation === 'openForReading' || operation === 'create') {
        this.#pathsOfOpen.set(result as number, path);
      }
      return result;
    };
  }

  /** Returns the path without the root, and one name for all staged files. */
  #shortened(path: string): string {
    const inRoot = path === this.root ? '.' : path.replace(`${this.root}/`, '');
    return inRoot.replace(/^\.staging\/[0-9a-f]{24}\.[0-9a-f-]+$/, '.staging/*');
  }
}

/** An error as Node's file system throws it. */
export function errnoError(code: string, call = 'injected'): Error {
  return Object.assign(new Error(`${code}: injected, ${call}`), { code, errno: -1, syscall: call });
}
