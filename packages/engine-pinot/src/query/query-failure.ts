import { type ErrorCode, QuireError } from '@quire/core';
import { withoutInstances } from '../http/instance-names.ts';
import { withoutAddedLimit } from './sql-tokens.ts';

/** One of the `exceptions` of an answer. */
export interface PinotException {
  readonly errorCode: number;
  /** Null, or absent, for some exceptions of Java. */
  readonly message?: string | null;
}

/** The error codes for Apache Pinot's numbers (QueryErrorCode); for any other, QUERY_FAILED. */
const codes: Readonly<Record<number, ErrorCode>> = {
  100: 'QUERY_SYNTAX',
  150: 'QUERY_SYNTAX',
  190: 'TABLE_NOT_FOUND',
  191: 'ENGINE_UNAVAILABLE',
  210: 'ENGINE_UNAVAILABLE',
  211: 'ENGINE_UNAVAILABLE',
  230: 'ENGINE_UNAVAILABLE',
  235: 'ENGINE_UNAVAILABLE',
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

/**
 * The sentences that replace messages of some codes, which name servers or are stack traces and are
 * only logged.
 */
const sentences: Readonly<Record<number, string>> = {
  210: 'A server of Apache Pinot is shutting down.',
  211: 'A server of Apache Pinot has no capacity left.',
  410: 'A broker of Apache Pinot does not know which servers have the table.',
  420: 'Apache Pinot has no broker for the table.',
  425: 'A broker of Apache Pinot could not send the query to a server.',
  427: 'A server of Apache Pinot did not respond.',
};

/**
 * Exceptions to which Apache Pinot gives the number of another cause: a server that cannot be
 * reached by the multi-stage engine is a failed execution (200), a table without any running server
 * is an internal error (450), and an answer that is too large is a cancelled query (503).
 */
const misnumbered: readonly {
  readonly given: number;
  readonly words: RegExp;
  readonly number: number;
}[] = [
  { given: 200, words: /Error dispatching query[^]*\bUNAVAILABLE\b/, number: 425 },
  { given: 450, words: /Unable to find routing entries for table/, number: 410 },
  { given: 503, words: /response size \d+ exceeds threshold/, number: 245 },
];

const messageLengthMax = 4_000;

/**
 * Returns the error that the exceptions of an answer represent: the code of the first, and the
 * messages of all without names of instances.
 */
export function failureOf(exceptions: readonly PinotException[]): QuireError {
  const numbered = exceptions.map(({ errorCode, message }) => {
    const given = message ?? 'Apache Pinot gives no reason.';
    return { number: numberOf(errorCode, given), message: withoutAddedLimit(given) };
  });
  const number = numbered[0]?.number ?? 200;
  const words = joined(numbered.map(({ message }) => message));
  const message = joined(
    numbered.map((each) => sentences[each.number] ?? withoutInstances(each.message)),
  );
  const cause = message === words ? undefined : new Error(words);
  return new QuireError(codes[number] ?? 'QUERY_FAILED', message, {
    cause,
    exceptionNumber: number,
  });
}

function numberOf(errorCode: number, message: string): number {
  const other = misnumbered.find(({ given, words }) => given === errorCode && words.test(message));
  return other?.number ?? errorCode;
}

function joined(texts: readonly string[]): string {
  const text = [...new Set(texts)].join('\n');
  return text.length > messageLengthMax ? `${text.slice(0, messageLengthMax)}…` : text;
}
