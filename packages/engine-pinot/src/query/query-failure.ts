import { type ErrorCode, QuireError } from '@quire/core';

/** One of the `exceptions` of an answer. */
export interface PinotException {
  readonly errorCode: number;
  readonly message: string;
}

/** What each of Apache Pinot's own numbers (QueryErrorCode) means here; any other is QUERY_FAILED. */
const codes: Readonly<Record<number, ErrorCode>> = {
  100: 'QUERY_SYNTAX',
  150: 'QUERY_SYNTAX',
  190: 'TABLE_NOT_FOUND',
  191: 'ENGINE_UNAVAILABLE',
  210: 'ENGINE_UNAVAILABLE',
  211: 'ENGINE_UNAVAILABLE',
  240: 'QUERY_TIMED_OUT',
  245: 'QUERY_LIMIT_EXCEEDED',
  246: 'QUERY_LIMIT_EXCEEDED',
  250: 'QUERY_TIMED_OUT',
  305: 'ENGINE_UNAVAILABLE',
  400: 'QUERY_TIMED_OUT',
  410: 'ENGINE_UNAVAILABLE',
  420: 'ENGINE_UNAVAILABLE',
  425: 'ENGINE_UNAVAILABLE',
  427: 'ENGINE_UNAVAILABLE',
  429: 'QUERY_LIMIT_EXCEEDED',
  503: 'QUERY_CANCELLED',
  700: 'QUERY_INVALID',
  710: 'COLUMN_NOT_FOUND',
  720: 'QUERY_INVALID',
};

const messageLengthMax = 4_000;

/** The error that the exceptions of an answer stand for: the first one's number, and what all of them say. */
export function failureOf(exceptions: readonly PinotException[]): QuireError {
  const [first] = exceptions;
  const number = first?.errorCode ?? 200;
  const message = [...new Set(exceptions.map(({ message: text }) => text))].join('\n');
  const shown = message.length > messageLengthMax ? `${message.slice(0, messageLengthMax)}…` : message;
  return new QuireError(codes[number] ?? 'QUERY_FAILED', shown, { exceptionNumber: number });
}
