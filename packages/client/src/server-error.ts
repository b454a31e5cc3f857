import { errorCodeOfException } from '@quire/core/wire';
import { type ErrorCode, errorKinds, isQuireError } from '@quire/core/portable';
import type { Finding } from '@quire/core/table-engine';
import { QuireClientError } from './client-error.ts';
import {
  expectArray,
  expectInteger,
  expectObject,
  expectString,
  type JsonObject,
} from './json-fields.ts';
import { type JsonValue, parseLosslessJson } from './lossless-json.ts';

/** The facts of an error response, besides its body. */
export interface ErrorResponse {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly body: string;
  readonly retryAfterMs: number | undefined;
}

/** Throws the first of a query response's exceptions, with the server's code. */
export function throwFirstException(body: JsonObject): void {
  const [first] = expectArray(body['exceptions'], 'exceptions');
  if (first === undefined) return;
  const { errorCode, message } = expectObject(first, 'exception');
  const number = expectInteger(errorCode, 'errorCode');
  throw new QuireClientError(errorCodeOfException(number), expectString(message, 'message'), {
    status: 200,
  });
}

/**
 * Returns the error for a response with a status other than 2xx: its `reason` is the code, its
 * `error` the message.
 */
export function serverErrorOf(response: ErrorResponse): QuireClientError {
  const { status, retryAfterMs } = response;
  const body = parseErrorBody(response.body);
  const reason = body?.['reason'];
  const sentence = body?.['error'];
  if (typeof reason === 'string' && isErrorCode(reason) && typeof sentence === 'string') {
    return new QuireClientError(reason, sentence, {
      status,
      retryAfterMs,
      findings: findingsOf(body?.['findings']),
    });
  }
  const answered = `${status} ${response.statusText}`.trim();
  return new QuireClientError(
    codeOfStatus(status),
    `${response.url} answered ${answered}${typeof sentence === 'string' ? `: ${sentence}` : ', without a reason. Is this a Quire server?'}`,
    { status, retryAfterMs },
  );
}

/**
 * Parses a `Retry-After` header, seconds or a date, as the time from now; undefined if it is
 * missing or not valid.
 */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const timeMs = Date.parse(header);
  return Number.isNaN(timeMs) ? undefined : Math.max(0, timeMs - nowMs);
}

function parseErrorBody(text: string): JsonObject | undefined {
  let body: JsonValue;
  try {
    body = parseLosslessJson(text);
  } catch (error) {
    // Proxies and other servers answer with HTML or text: the status is then the only information.
    if (isQuireError(error)) return undefined;
    throw error;
  }
  return typeof body === 'object' && body !== null && !Array.isArray(body)
    ? (body as JsonObject)
    : undefined;
}

/** Returns all problems, if the response has several. */
function findingsOf(value: JsonValue | undefined): readonly Finding[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const isFinding = (each: JsonValue): boolean => {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return false;
    const { path, code, message, severity } = each as JsonObject;
    return (
      [path, code, message].every((text) => typeof text === 'string') &&
      ['error', 'warning', 'info'].some((known) => known === severity)
    );
  };
  return (value as readonly JsonValue[]).filter(isFinding) as unknown as readonly Finding[];
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
