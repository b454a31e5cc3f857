import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { formatBytes, QuireError } from '@quire/core';
import type { FastifyRequest } from 'fastify';

/** A file that a caller sends. */
export interface Upload {
  /** The caller's name for the file; empty if it has none. */
  readonly name: string;
  /**
   * Its bytes, readable once. @throws BODY_TOO_LARGE when the file exceeds the limit; INVALID_BODY
   * when the body ends early
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Opens the file in the body of a request: the only file of a `multipart/form-data` body, or
 * otherwise the body itself.
 *
 * @param sizeMaxBytes maximum size of the file
 * @throws INVALID_BODY when there is none
 */
export async function openUpload(request: FastifyRequest, sizeMaxBytes: number): Promise<Upload> {
  const type = request.headers['content-type'] ?? '';
  const stream = request.body as Readable | undefined;
  if (stream === undefined || typeof stream !== 'object') {
    throw new QuireError('INVALID_BODY', 'The request has no body; expected a file.');
  }
  if (!type.toLowerCase().startsWith('multipart/form-data')) {
    return { name: '', body: bounded(stream, sizeMaxBytes) };
  }
  return openMultipart(stream, request.headers as BusboyHeaders, sizeMaxBytes);
}

function openMultipart(
  stream: Readable,
  headers: BusboyHeaders,
  sizeMaxBytes: number,
): Promise<Upload> {
  const { promise, resolve, reject } = Promise.withResolvers<Upload>();
  const whole = Promise.withResolvers<void>();
  whole.promise.catch(() => undefined); // a reader that stops earlier does not wait for it
  let file: Readable | undefined;
  const fail = (message: string, cause?: unknown): void => {
    const error = new QuireError('INVALID_BODY', message, { cause });
    file?.destroy(error);
    whole.reject(error);
    reject(error);
  };
  let parser: InstanceType<typeof Busboy>;
  try {
    parser = new Busboy({ headers, limits: { parts: 20, fields: 20, fieldSize: 65_536 } });
  } catch (cause) {
    throw new QuireError('INVALID_BODY', 'The multipart body has no boundary.', { cause });
  }
  parser.on('file', (_field: string, part: Readable, name: string | undefined) => {
    // It may fail before it is read, which would otherwise end the process. Its reader gets the
    // error all the same.
    part.on('error', () => undefined);
    if (file !== undefined) {
      part.resume();
      return fail('The multipart body has several files; expected one.');
    }
    file = part;
    resolve({ name: name ?? '', body: onlyFile(bounded(part, sizeMaxBytes), whole.promise) });
  });
  parser.on('error', (cause: unknown) =>
    fail('The multipart body cannot be read; expected one file in it.', cause),
  );
  parser.on('finish', () => {
    if (file === undefined) fail('The multipart body has no file; expected one.');
    else whole.resolve();
  });
  stream.on('error', (cause: unknown) => fail('The request ended early.', cause));
  stream.on('close', () => {
    if (!stream.readableEnded) fail('The request ended early.');
  });
  stream.pipe(parser);
  return promise;
}

/** Yields the bytes of a file, and ends when the form has ended without another one. */
async function* onlyFile(
  bytes: AsyncIterable<Uint8Array>,
  whole: Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* bytes;
  await whole;
}

async function* bounded(
  stream: Readable,
  sizeMaxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let sizeBytes = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > sizeMaxBytes) {
      throw new QuireError(
        'BODY_TOO_LARGE',
        `The file is larger than ${formatBytes(sizeMaxBytes)}, the maximum size.`,
      );
    }
    yield chunk;
  }
}
