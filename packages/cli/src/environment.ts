import { emitKeypressEvents } from 'node:readline';
import { type Clock, type Random, systemClock, systemRandom } from '@quire/core';
import { decodeText } from './decode-text.ts';
import { type Output, processOutput } from './output.ts';

/** The input of a command. */
export interface Input {
  readonly isTerminal: boolean;
  /** Resolves to the whole input as text. @throws INVALID_BODY when it is not UTF-8 */
  readText(): Promise<string>;
  /**
   * Calls the listener with each pressed key, without echo, until disposed. Only a terminal has
   * keys.
   */
  onKey(listener: (key: Key) => void): Disposable;
}

/** A signal that ends a command gracefully. */
export type SignalName = 'SIGINT' | 'SIGTERM';

const parentCheckMs = 500;

/** All external dependencies of a command, injected so that a test can replace them. */
export interface Environment {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The directory that relative paths are relative to. */
  readonly directory: string;
  readonly clock: Clock;
  readonly random: Random;
  /** The command line that starts this command, for messages with a command to try: `quire`. */
  readonly invocation: string;
  /** Calls the listener on a signal, instead of the default action, until disposed. */
  onSignal(names: readonly SignalName[], listener: (name: SignalName) => void): Disposable;
}

/** Returns the process's own environment. Call it once: it adds listeners to the output streams. */
export function processEnvironment(invocation: string): Environment {
  return {
    stdin: processInput(process.stdin),
    stdout: processOutput(process.stdout, 'Standard output'),
    stderr: processOutput(process.stderr, 'Standard error'),
    variables: process.env,
    directory: process.cwd(),
    clock: systemClock,
    random: systemRandom,
    invocation,
    onSignal: (names, listener) => {
      const isUnderNpx = names.includes('SIGTERM') && process.env['npm_command'] === 'exec';
      const watch = isUnderNpx ? watchParent(() => listener('SIGTERM')) : undefined;
      const onSignal = (name: NodeJS.Signals): void => {
        // The shell receives the signal as well, so its end is not a second request to stop.
        clearInterval(watch);
        listener(name as SignalName);
      };
      for (const name of names) process.on(name, onSignal);
      return disposable(() => {
        clearInterval(watch);
        for (const name of names) process.off(name, onSignal);
      });
    },
  };
}

/**
 * Calls back when the parent process has ended. npx starts a command through a shell. SIGTERM ends
 * the shell, which does not pass the signal on.
 */
function watchParent(onGone: () => void): NodeJS.Timeout {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, parentCheckMs);
  return timer.unref();
}

function processInput(stream: NodeJS.ReadStream): Input {
  return {
    get isTerminal() {
      return stream.isTTY === true;
    },
    readText: async () =>
      decodeText(Buffer.concat((await stream.toArray()) as Buffer[]), 'Standard input'),
    onKey: (listener) => {
      const onKeypress = (...[character, keypress]: Parameters<typeof keyOfKeypress>): void => {
        const key = keyOfKeypress(character, keypress);
        if (key !== undefined) listener(key);
      };
      emitKeypressEvents(stream);
      stream.setRawMode(true);
      stream.on('keypress', onKeypress);
      stream.resume();
      return disposable(() => {
        stream.off('keypress', onKeypress);
        stream.setRawMode(false);
        // A flowing stream keeps the process alive.
        stream.pause();
      });
    },
  };
}

function disposable(dispose: () => unknown): Disposable {
  return {
    [Symbol.dispose]: () => {
      dispose();
    },
  };
}

/**
 * The name of a key: a character (`n`, `+`, `G`), or `left`, `space`, `return`, `escape`, `ctrl+c`
 * …
 */
export type Key = string;

/** The used members of a keypress of Node's readline. */
interface Keypress {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

const namedKeys = new Set([
  'left',
  'right',
  'up',
  'down',
  'home',
  'end',
  'pageup',
  'pagedown',
  'return',
  'escape',
  'backspace',
  'space',
]);

/** Returns the name of a keypress of Node's readline; undefined for keys without a function. */
export function keyOfKeypress(character: string | undefined, keypress: Keypress): Key | undefined {
  const { name } = keypress;
  if (keypress.ctrl === true) return name === undefined ? undefined : `ctrl+${name}`;
  if (name === 'enter') return 'return';
  if (name === 'delete') return 'backspace';
  if (name !== undefined && namedKeys.has(name)) return name;
  if (character !== undefined && /^[!-~]$/.test(character)) return character;
  return undefined;
}
