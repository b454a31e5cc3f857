import type { JsonValue } from '@quire/client';
import { answerOf, CallError } from './call.ts';

export interface FileSending {
  readonly signal?: AbortSignal | undefined;
  /** Called with the part of the file that has been sent, from 0 to 1. */
  readonly onProgress?: ((part: number) => void) | undefined;
}

/** Posts a file, which the browser reads from the disk piece by piece, and parses the answer. */
export type SendFile = (
  path: string,
  body: Blob | FormData,
  options?: FileSending,
) => Promise<JsonValue>;

/**
 * Creates a `SendFile` with this Authorization. It uses XMLHttpRequest, because `fetch` does not
 * report the progress of a body.
 */
export function createSendFile(authorization: string, onRefused: () => void): SendFile {
  return (path, body, { signal, onProgress } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<JsonValue>();
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('authorization', authorization);
    if (body instanceof Blob) request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress?.(total === 0 ? 1 : loaded / total),
    );
    request.addEventListener('load', () => {
      if (request.status === 401) onRefused();
      try {
        const type = request.getResponseHeader('content-type') ?? '';
        resolve(answerOf(request.status, request.responseText, type));
      } catch (error) {
        reject(error);
      }
    });
    request.addEventListener('error', () =>
      reject(
        new CallError('The server did not accept the file. Is it still running?', {
          status: 0,
          code: 'SERVER_UNREACHABLE',
        }),
      ),
    );
    request.addEventListener('abort', () =>
      reject(new DOMException('The file was not sent to its end.', 'AbortError')),
    );
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
    return promise;
  };
}
