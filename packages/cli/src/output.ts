import { fstatSync, writeSync } from 'node:fs';
import { QuireError } from '@quire/core';

/** An output of a command. */
export interface Output {
  readonly isTerminal: boolean;
  /** The size of the terminal in character cells; 80 × 24 without one. */
  readonly size: { readonly columns: number; readonly rows: number };
  /**
   * Writes, and resolves once the reader is ready for more.
   *
   * @throws OUTPUT_CLOSED when the reader has closed the pipe (`quire … | head`);
   *   INVALID_PARAMETER when it is a file that cannot be written, such as on a full disk
   */
  write(data: string | Uint8Array): Promise<void>;
  /** Calls the listener whenever the size of the terminal changes, until disposed. */
  onResize(listener: () => void): Disposable;
}

type OutputStream = NodeJS.WriteStream & { readonly fd: number };

/** Returns an output of the process. Call it once for each: it adds a listener to the stream. */
export function processOutput(stream: OutputStream, name: string): Output {
  // Without a listener the process would die of an unhandled 'error' event; `write` reports it.
  stream.on('error', () => undefined);
  const isTerminal = stream.isTTY === true;
  return {
    isTerminal,
    get size() {
      return { columns: stream.columns || 80, rows: stream.rows || 24 };
    },
    write:
      !isTerminal && isFile(stream.fd)
        ? async (data) => writeToFile(stream.fd, data, name)
        : (data) => writeToStream(stream, data),
    onResize: (listener) => {
      stream.on('resize', listener);
      return { [Symbol.dispose]: () => void stream.off('resize', listener) };
    },
  };
}

function isFile(fd: number): boolean {
  const stats = fstatSync(fd);
  return stats.isFile() || stats.isCharacterDevice();
}

/**
 * Writes all bytes to a file. Node's stream for files writes synchronously as well, but ignores
 * that a system may write only a part of them, as it does when a disk becomes full.
 *
 * @throws INVALID_PARAMETER when it cannot be written
 */
export function writeToFile(
  fd: number,
  data: string | Uint8Array,
  name: string,
  write: typeof writeSync = writeSync,
): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  try {
    for (let done = 0; done < bytes.byteLength;) {
      done += write(fd, bytes, done, bytes.byteLength - done);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new QuireError('INVALID_PARAMETER', `${name} cannot be written: ${reason}.`, { cause });
  }
}

function writeToStream(stream: OutputStream, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(data, (error) => {
      if (error === null || error === undefined) resolve();
      else {
        reject(
          new QuireError('OUTPUT_CLOSED', 'The output was closed by its reader.', { cause: error }),
        );
      }
    });
  });
}
