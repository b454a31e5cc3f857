import { errorCodeOfException } from '@quire/api';
import { type ErrorCode, errorKinds, QuireError } from '@quire/core';
import { expectArray, expectInteger, expectObject, expectString, type JsonObject } from './json-fields.ts';
import { type JsonValue, parseLosslessJson } from './lossless-json.ts';

/** Throws the first of a query response's exceptions, with the code that the server gave it. */
export function throwFirstException(body: JsonObject): void {
  const [first] = expectArray(body['exceptions'], 'exceptions');
  if (first === undefined) return;
  const { errorCode, message } = expectObject(first, 'exception');
  const number = expectInteger(errorCode, 'errorCode');
  throw new QuireError(errorCodeOfException(number), expectString(message, 'message'));
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
