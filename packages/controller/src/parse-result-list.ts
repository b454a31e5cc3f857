import type { ResultListResponse, StoredResult } from '@quire/api';
import { QuireError } from '@quire/core';

/**
 * Reads what a broker answers when it is asked for its results; believes nothing.
 *
 * @throws BROKER_FAILED when it is anything but a list of stored results
 */
export function parseResultList(text: string): readonly StoredResult[] {
  const list = membersOf(parseJson(text))['resultMetadataList' satisfies keyof ResultListResponse];
  if (!Array.isArray(list)) throw noList();
  return list.map(parseStoredResult);
}

function parseStoredResult(value: unknown): StoredResult {
  const { requestId, brokerId, submissionTimeMs, expirationTimeMs, responseMetadata } = membersOf(value);
  if (typeof requestId !== 'string' || !idPattern.test(requestId) || typeof brokerId !== 'string') throw noList();
  if (!isCount(submissionTimeMs) || !isCount(expirationTimeMs) || !Array.isArray(responseMetadata)) throw noList();
  return {
    requestId,
    brokerId,
    submissionTimeMs,
    expirationTimeMs,
    responseMetadata: responseMetadata.map(parseResponseMetadata),
  };
}

/** Wide enough for the ids of other brokers that speak the same calls, and nothing that means anything in a path. */
const idPattern = /^[\w-]{1,64}$/;

function parseResponseMetadata(value: unknown): StoredResult['responseMetadata'][number] {
  const { type, numRows, dataFile, metadataFile, sizeBytes = 0 } = membersOf(value);
  if (typeof type !== 'string' || typeof dataFile !== 'string' || typeof metadataFile !== 'string') throw noList();
  if (!isCount(numRows) || !isCount(sizeBytes)) throw noList();
  return { type, numRows, dataFile, metadataFile, sizeBytes };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw noList(); // the parser's own message repeats some of the text
  }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw noList();
  return value as Readonly<Record<string, unknown>>;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function noList(): QuireError {
  return new QuireError('BROKER_FAILED', 'The answer is not a list of stored results.');
}
