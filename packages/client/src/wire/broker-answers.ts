import type { ResultListResponse, StoredResult } from '@quire/core/wire';
import { QuireError } from '@quire/core/portable';
import type { ExchangeErrors } from './exchange.ts';

/**
 * The errors of servers that call brokers, such as a proxy. They repeat nothing that a broker sent.
 */
export const brokerErrors: ExchangeErrors = {
  silent: (timeoutMs) =>
    new QuireError('BROKER_TIMED_OUT', `There was no complete answer within ${timeoutMs} ms.`),
  failed: (cause) => {
    const code =
      cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
        ? cause.code
        : 'unknown error';
    if (noConnectionCodes.includes(code)) {
      return new QuireError('BROKER_UNAVAILABLE', `The connection failed (${code}).`, { cause });
    }
    if (/CERT|SSL|TLS|SIGNATURE|ISSUER/.test(code)) {
      return new QuireError('BROKER_UNAVAILABLE', `The connection is not trusted (${code}).`, {
        cause,
      });
    }
    return new QuireError('BROKER_FAILED', `The answer is not HTTP, or ended early (${code}).`, {
      cause,
    });
  },
};

const noConnectionCodes: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
];

/** Returns the error for a broker's answer that exceeds the maximum length. */
export function brokerAnswerTooLong(bytesMax: number): QuireError {
  return new QuireError('BROKER_FAILED', `The answer is longer than ${bytesMax} bytes.`);
}

/** The health of a broker, as it reports it. */
export interface BrokerHealth {
  /** `Broker_<host>_<port>`, with its address for others. */
  readonly brokerId: string;
  readonly version: string;
  /** Kind of its store, such as `fs`. */
  readonly storeType: string;
  /**
   * True if other brokers can access the same results; earlier releases omit it, which counts as
   * false.
   */
  readonly isStoreShared: boolean;
}

/** Parses a health report. @throws BROKER_FAILED when it is not that of a broker */
export function parseBrokerHealth(text: string): BrokerHealth {
  const {
    brokerId,
    version = '',
    storeType,
    isStoreShared = false,
  } = membersOf(parseJson(text, notHealth), notHealth);
  // Ids, versions and store types are used in logs, metrics and headers.
  if (typeof brokerId !== 'string' || !/^\w[\w.-]{0,299}$/.test(brokerId)) throw notHealth();
  if (typeof version !== 'string' || version.length > 100 || typeof storeType !== 'string') {
    throw notHealth();
  }
  return { brokerId, version, storeType, isStoreShared: isStoreShared === true };
}

/**
 * Parses the number of results that a broker deleted. @throws BROKER_FAILED when the answer is not
 * valid
 */
export function parseDeletedCount(text: string): number {
  const count = /^Deleted ([0-9]{1,15}) expired response\(s\)\.\s*$/.exec(text)?.[1];
  if (count === undefined) {
    throw new QuireError(
      'BROKER_FAILED',
      'The answer does not contain the number of deleted results.',
    );
  }
  return Number(count);
}

/**
 * Parses a broker's list of results without trusting it.
 *
 * @throws BROKER_FAILED when it is not a list of stored results
 */
export function parseResultList(text: string): readonly StoredResult[] {
  const list = membersOf(parseJson(text, noList), noList)[
    'resultMetadataList' satisfies keyof ResultListResponse
  ];
  if (!Array.isArray(list)) throw noList();
  return list.map(parseStoredResult);
}

function parseStoredResult(value: unknown): StoredResult {
  const { requestId, brokerId, submissionTimeMs, expirationTimeMs, responseMetadata } = membersOf(
    value,
    noList,
  );
  if (typeof requestId !== 'string' || !idPattern.test(requestId) || typeof brokerId !== 'string') {
    throw noList();
  }
  if (
    !isCount(submissionTimeMs) ||
    !isCount(expirationTimeMs) ||
    !Array.isArray(responseMetadata)
  ) {
    throw noList();
  }
  return {
    requestId,
    brokerId,
    submissionTimeMs,
    expirationTimeMs,
    responseMetadata: responseMetadata.map(parseResponseMetadata),
  };
}

/**
 * Matches the ids of brokers, including those of other systems with the same calls, but no text
 * with a meaning in a path.
 */
const idPattern = /^[\w-]{1,64}$/;

function parseResponseMetadata(value: unknown): StoredResult['responseMetadata'][number] {
  const { type, numRows, dataFile, metadataFile, sizeBytes = 0 } = membersOf(value, noList);
  if (
    typeof type !== 'string' ||
    typeof dataFile !== 'string' ||
    typeof metadataFile !== 'string'
  ) {
    throw noList();
  }
  if (!isCount(numRows) || !isCount(sizeBytes)) throw noList();
  return { type, numRows, dataFile, metadataFile, sizeBytes };
}

function parseJson(text: string, failed: () => QuireError): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw failed(); // the parser's own message repeats a part of the text
  }
}

function membersOf(value: unknown, failed: () => QuireError): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw failed();
  return value as Readonly<Record<string, unknown>>;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function noList(): QuireError {
  return new QuireError('BROKER_FAILED', 'The answer is not a list of stored results.');
}

function notHealth(): QuireError {
  return new QuireError('BROKER_FAILED', 'The answer is not a health report of a broker.');
}
