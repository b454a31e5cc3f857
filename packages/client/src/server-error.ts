import { type ErrorCode, errorKinds, QuireError } from '@quire/core';
import { expectArray, expectObject, type JsonObject } from './json-fields.ts';
import { type JsonValue, parseLosslessJson } from './lossless-json.ts';

/** Error codes of a query's `exceptions` (contract section 2). */
const exceptionCodes: Readonly<Record<number, ErrorCode>> = {
  150: 'QUERY_SYNTAX',
  190: 'TABLE_NOT_FOUND',
  200: 'QUERY_FAILED',
  245: 'QUERY_LIMIT_EXCEEDED',
  250: 'QUERY_TIMED_OUT',
  429: 'TOO_MANY_QUERIES',
  450: 'INTERNAL',
  503: 'QUERY_CANCELLED',
  700: 'QUERY_INVALID',
  710: 'COLUMN_NOT_FOUND',
};

/** Throws the first of a query response's exceptions, with the code that the server gave it. */
export function throwFirstException(body: JsonObject): void {
  const [first] = expectArray(body['exceptions'], 'exceptions');
  if (first === undefined) return;
  const { errorCode, message } = expectObject(first, 'exception');
  const number = typeof errorCode === 'number' ? errorCode : undefined;
  const code = (number === undefined ? undefined : exceptionCodes[number]) ?? 'QUERY_FAILED';
  throw new QuireError(code, typeof message === 'string' ? message : `The query failed with error ${number ?? 'unknown'}.`);
}

/** The error that a response with a status other than 2xx stands for: its `reason` is the code, its `error` the message. */
export async function readServerError(response: Response): Promise<QuireError> {
  const text = await response.text();
  const body = parseErrorBody(text);
  const reason = body?.['reason'];
  const sentence = body?.['error'];
  if (typeof reason === 'string' && isErrorCode(reason) && typeof sentence === 'string') return new QuireError(reason, sentence);
  const status = `${response.status} ${response.statusText}`.trim();
  return new QuireError(
    codeOfStatus(response.status),
    `${response.url} answered ${status}${typeof sentence === 'string' ? `: ${sentence}` : ', and says no more. Is this a Quire server?'}`,
  );
}

function parseErrorBody(text: string): JsonObject | undefined {
  let body: JsonValue;
  try {
    body = parseLosslessJson(text);
  } catch (error) {
    // Proxies and other servers answer with HTML or text: the status is then all there is to tell.
    if (error instanceof QuireError) return undefined;
    throw error;
  }
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as JsonObject) : undefined;
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorKinds, text);
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'FORBIDDEN';
  if (status === 429) return 'TOO_MANY_REQUESTS';
  if (status === 502 || status === 503 || status === 504) return 'SERVER_UNREACHABLE';
  return 'UNEXPECTED_RESPONSE';
}
