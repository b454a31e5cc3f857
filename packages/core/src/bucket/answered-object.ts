import { QuireError, throwIfAborted } from '../errors.ts';
import type { ByteRange, ObjectBody } from '../object-store.ts';
import { resolveByteRange } from '../store/byte-range.ts';
import { SingleUseBody } from '../store/single-use-body.ts';
import type { FailedCall } from './failed-call.ts';

/**
 * A server's answer to a request for an object: what its head says of the bytes, and the bytes,
 * still to come.
 */
export interface ObjectAnswer {
  readonly status: number | undefined;
  readonly contentLength: number | undefined;
  readonly contentRange: string | undefined;
  readonly stream: AnswerStream;
}

/** As much of a stream of Node's as is needed here: the package is for browsers as well. */
export interface AnswerStream extends AsyncIterable<Uint8Array> {
  on(event: 'error', listener: () => void): unknown;
  destroy(): unknown;
}

/** What was asked of a bucket, for `openAnsweredObject` to check the answer. */
export interface ObjectRequest {
  readonly call: FailedCall;
  /** What was asked for; undefined for the whole object. */
  readonly range: ByteRange | undefined;
  /** The QuireError that a failure of the stream stands for. */
  readonly translate: (error: unknown) => unknown;
  /** Gives back what the answer holds beside its stream. */
  readonly release?: () => void;
}

/**
 * The body of an object as a server answers it: the bytes that were asked for, all of them and no
 * others.
 *
 * The answer must prove which bytes it holds: to a ranged request, a status of 206 with a
 * Content-Range that says so. The stream is ended whenever the body is left, and when this throws.
 *
 * @throws OBJECT_SHORT_READ when the answer holds other bytes, or does not say which
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
    throw unexpectedAnswer(call, `${asked}, but the answer holds ${contentRange}`);
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
      // A connection that ends too early is a failure of the store, which a later call may not
      // meet.
      const step = await chunks.next().catch((error: unknown) => {
        throw translate(error);
      });
      throwIfAborted(signal);
      if (step.done === true) break;
      readBytes += step.value.byteLength;
      if (readBytes > expectedBytes) {
        throw unexpectedAnswer(call, `${expectedBytes} bytes, but more came`);
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
 * The same memory, no Buffer: those differ from other arrays of bytes in what `slice` and
 * comparisons do.
 */
function asPlainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/**
 * Gives the connection back when all of the answer has come, and closes it otherwise: nobody will
 * take the rest.
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
