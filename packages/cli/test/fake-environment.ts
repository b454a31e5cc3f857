import { QuireError, systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import type { Environment, Input, Key, SignalName } from '../src/environment.ts';
import type { Output } from '../src/output.ts';

export interface FakeOptions {
  /** Standard input, output and error are a terminal of this size. Absent: pipes. */
  readonly terminal?: { readonly columns: number; readonly rows: number };
  /** The content of standard input. */
  readonly stdin?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** The reader of standard output closes it after this many writes. */
  readonly writesUntilClosed?: number;
}

/**
 * An environment that a test can inspect: the output, the listeners to keys and signals, and the
 * time.
 */
export class FakeEnvironment implements Environment {
  readonly clock = new ManualClock();
  readonly random = systemRandom;
  readonly variables: Readonly<Record<string, string>>;
  readonly directory = '/';
  readonly invocation = 'quire';
  readonly stdin: Input;
  readonly stdout: FakeOutput;
  readonly stderr: FakeOutput;
  readonly #signalListeners = new Set<(name: SignalName) => void>();
  readonly #keyListeners = new Set<(key: Key) => void>();

  constructor(options: FakeOptions = {}) {
    const { terminal, stdin = '' } = options;
    this.variables = options.variables ?? {};
    this.stdout = new FakeOutput(terminal, options.writesUntilClosed);
    this.stderr = new FakeOutput(terminal);
    this.stdin = {
      isTerminal: terminal !== undefined && options.stdin === undefined,
      readText: () => Promise.resolve(stdin),
      onKey: (listener) => listen(this.#keyListeners, listener),
    };
  }

  onSignal(_names: readonly SignalName[], listener: (name: SignalName) => void): Disposable {
    return listen(this.#signalListeners, listener);
  }

  signal(name: SignalName): void {
    for (const listener of this.#signalListeners) listener(name);
  }

  press(...keys: readonly Key[]): void {
    for (const key of keys) for (const listener of this.#keyListeners) listener(key);
  }

  /** True if a listener to keys or signals remains. */
  get isListenedTo(): boolean {
    return (
      this.#signalListeners.size + this.#keyListeners.size + this.stdout.resizeListeners.size > 0
    );
  }
}

/** Resolves once the next write to standard output waits for a reader that takes nothing. */
export function untilBlocked({ stdout }: FakeEnvironment): Promise<void> {
  return new Promise((resolve) => {
    stdout.write = () => {
      resolve();
      return new Promise(() => undefined);
    };
  });
}

/** Records the output, and notifies those who wait for a part of it. */
class FakeOutput implements Output {
  readonly isTerminal: boolean;
  size: { readonly columns: number; readonly rows: number };
  readonly resizeListeners = new Set<() => void>();
  readonly #chunks: string[] = [];
  readonly #written: Uint8Array[] = [];
  readonly #watchers = new Set<() => void>();
  #writesLeft: number;

  constructor(terminal: FakeOptions['terminal'], writesUntilClosed = Number.POSITIVE_INFINITY) {
    this.isTerminal = terminal !== undefined;
    this.size = terminal ?? { columns: 80, rows: 24 };
    this.#writesLeft = writesUntilClosed;
  }

  get text(): string {
    return this.#chunks.join('');
  }

  /** The output, including binary. */
  get bytes(): Buffer {
    return Buffer.concat(this.#written);
  }

  write(data: string | Uint8Array): Promise<void> {
    this.#writesLeft -= 1;
    if (this.#writesLeft < 0) {
      return Promise.reject(
        new QuireError('OUTPUT_CLOSED', 'The output was closed by its reader.'),
      );
    }
    this.#written.push(Buffer.from(data as Uint8Array));
    this.#chunks.push(typeof data === 'string' ? data : Buffer.from(data).toString());
    for (const watcher of this.#watchers) watcher();
    return Promise.resolve();
  }

  /** Resolves to the last written text once it contains `part`. */
  async lastWith(part: string): Promise<string> {
    while (!(this.#chunks.at(-1) ?? '').includes(part)) {
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve);
      });
    }
    return this.#chunks.at(-1) ?? '';
  }

  resize(columns: number, rows: number): void {
    this.size = { columns, rows };
    for (const listener of this.resizeListeners) listener();
  }

  onResize(listener: () => void): Disposable {
    return listen(this.resizeListeners, listener);
  }
}

function listen<Listener>(listeners: Set<Listener>, listener: Listener): Disposable {
  listeners.add(listener);
  return {
    [Symbol.dispose]: () => {
      listeners.delete(listener);
    },
  };
}
