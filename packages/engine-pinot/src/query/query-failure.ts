import { type ErrorCode, QuireError } from '@quire/core';

/** One of the `exceptions` of an answer. */
export interface PinotException {
  readonly errorCode: number;
  readonly message: string;
}

/**
 * What each of Apache Pinot's own numbers (QueryErrorCode) means here; any other is QUERY_FAILED.
 */
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

/** What is said in place of words that name servers of the cluster: those stand in the log. */
const sentences: Readonly<Record<number, string>> = {
  210: 'A server of Apache Pinot is shutting down.',
  211: 'A server of Apache Pinot has no capacity left.',
  410: 'A broker of Apache Pinot does not know which servers have the table.',
  420: 'Apache Pinot has no broker for the table.',
  425: 'A broker of Apache Pinot could not send the query to a server.',
  427: 'A server of Apache Pinot did not respond.',
};

const messageLengthMax = 4_000;

/**
 * The error that the exceptions of an answer stand for: the first one's number, and what all of
 * them say.
 */
export function failureOf(exceptions: readonly PinotException[]): QuireError {
  const number = exceptions[0]?.errorCode ?? 200;
  const words = joined(exceptions.map(({ message }) => message));
  const message = joined(
    exceptions.map(({ errorCode, message: text }) => sentences[errorCode] ?? text),
  );
  const cause = message === words ? undefined : new Error(words);
  return new QuireError(codes[number] ?? 'QUERY_FAILED', message, {
    cause,
    exceptionNumber: number,
  });
}

function joined(texts: readonly string[]): string {
  const text = [...new Set(texts)].join('\n');
  return text.length > messageLengthMax ? `${text.slice(0, messageLengthMax)}…` : text;
}
