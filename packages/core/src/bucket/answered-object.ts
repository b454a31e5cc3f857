import { QuireError, throwIfAborted } from '../errors.ts';
import type { ByteRange, ObjectBody } from '../object-store.ts';
import { resolveByteRange } from '../store/byte-range.ts';
import { SingleUseBody } from '../store/single-use-body.ts';
import type { FailedCall } from './failed-call.ts';

/**
 * A server's response to a request for an object: the metadata from its headers, and the stream of
 * its bytes.
 */
export interface ObjectAnswer {
  readonly status: number | undefined;
  readonly contentLength: number | undefined;
  readonly contentRange: string | undefined;
  readonly stream: AnswerStream;
}

/** The part of a Node stream that is used here. The package also runs in browsers. */
export interface AnswerStream extends AsyncIterable<Uint8Array> {
  on(event: 'error', listener: () => void): unknown;
  destroy(): unknown;
}

/** The request that `openAnsweredObject` checks an answer against. */
export interface ObjectRequest {
  readonly call: FailedCall;
  /** The range that was requested; undefined for the whole object. */
  readonly range: ByteRange | undefined;
  /** Returns the QuireError for a failure of the stream. */
  readonly translate: (error: unknown) => unknown;
  /** Releases the resources of the answer other than its stream. */
  readonly release?: () => void;
}

/**
 * Returns the body of an object as a server answers it: exactly the requested bytes.
 *
 * The answer must identify the bytes that it contains: a ranged request needs status 206 and a
 * matching Content-Range. The stream is closed when the reader leaves the body, and when this
 * function throws.
 *
 * @throws OBJECT_SHORT_READ when the answer contains other bytes, or does not identify them
 */
export function openAnsweredObject(answer: ObjectAnswer, request: ObjectRequest): ObjectBody {
  const { call, range } = request;
  const release = (): void => {
    endStream(answer.stream);
    request.release?.();
  };
  try {
    throwIfAborted(call.signal);
    const { sizeBytes, bytes } =
      range === undefined ? wholeOf(answer, call) : rangeOf(answer, range, call);
    return new SingleUseBody({
      key: call.key,
      sizeBytes,
      chunks: () => readChunks(answer.stream, bytes, request),
      release,
    });
  } catch (error) {
    release();
    throw error;
  }
}

interface Delivery {
  readonly sizeBytes: number;
  readonly bytes: ByteRange;
}

function wholeOf(
  { status, contentLength, contentRange }: ObjectAnswer,
  call: FailedCall,
): Delivery {
  if (
    status !== 200 ||
    contentLength === undefined ||
    !Number.isSafeInteger(contentLength) ||
    contentRange !== undefined
  ) {
    const answer = `HTTP ${status} with Content-Length ${contentLength} and Content-Range ${contentRange}`;
    throw unexpectedAnswer(call, `the whole object, but the answer is ${answer}`);
  }
  return { sizeBytes: contentLength, bytes: { start: 0, end: contentLength } };
}

function rangeOf(
  { status, contentRange }: ObjectAnswer,
  range: ByteRange,
  call: FailedCall,
): Delivery {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange ?? '') ?? [];
  const asked = `the bytes [${range.start}, ${range.end})`;
  if (status !== 206 || first === undefined) {
    throw unexpectedAnswer(
      call,
      `${asked}, but the answer is HTTP ${status} with Content-Range ${contentRange}`,
    );
  }
  const sizeBytes = Number(total);
  resolveByteRange(range, sizeBytes, call.key, call.location);
  if (Number(first) !== range.start || Number(last) !== range.end - 1) {
    throw unexpectedAnswer(call, `${asked}, but the answer has ${contentRange}`);
  }
  return { sizeBytes, bytes: range };
}

async function* readChunks(
  stream: AnswerStream,
  { start, end }: ByteRange,
  { call, translate }: ObjectRequest,
): AsyncGenerator<Uint8Array> {
  const { key, location, signal } = call;
  const expectedBytes = end - start;
  let readBytes = 0;
  const onAbort = (): void => {
    stream.destroy();
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    throwIfAborted(signal);
    const chunks = stream[Symbol.asyncIterator]();
    for (;;) {
      // A connection that ends early is a failure of the store; a retry may succeed.
      const step = await chunks.next().catch((error: unknown) => {
        throw translate(error);
      });
      throwIfAborted(signal);
      if (step.done === true) break;
      readBytes += step.value.byteLength;
      if (readBytes > expectedBytes) {
        throw unexpectedAnswer(call, `${expectedBytes} bytes, but received more`);
      }
      if (step.value.byteLength > 0) yield asPlainBytes(step.value);
      throwIfAborted(signal);
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  if (readBytes < expectedBytes) {
    throw new QuireError(
      'OBJECT_SHORT_READ',
      `${key} in ${location} ended after ${readBytes} of ${expectedBytes} bytes.`,
    );
  }
}

/**
 * Returns a view of the same memory that is not a Buffer, because `slice` and comparisons work
 * differently on Buffers.
 */
function asPlainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Returns the connection to the pool if the answer was read completely, and closes it otherwise.
 */
function endStream(stream: AnswerStream): void {
  stream.on('error', () => undefined);
  stream.destroy();
}

function unexpectedAnswer({ key, location }: FailedCall, difference: string): QuireError {
  return new QuireError(
    'OBJECT_SHORT_READ',
    `get of ${key} in ${location} asked for ${difference}.`,
  );
}
