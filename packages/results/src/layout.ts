import { isRequestId, type RequestId } from '@quire/core';
import type { ResultEntry } from './result-entry.ts';

/**
 * Object names of results (CONTRACT.md section 5):
 *
 *     <brokerId>/<requestId>/data.arrow
 *     <brokerId>/<requestId>/<submissionTimeMs>-<expirationTimeMs>-<rowCount>.json
 *     <brokerId>/<requestId>/running.json
 *
 * Everything that listing, expiry and quota need is in the names, so neither ever opens an object.
 */
const dataName = 'data.arrow';
/** Stands only while a query runs, and says where. */
const runningName = 'running.json';
const recordNamePattern = /^(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})\.json$/;
const brokerIdPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** What the name of one object of a result says. */
export type ResultObjectName =
  | { readonly kind: 'data' | 'running'; readonly brokerId: string; readonly requestId: RequestId }
  | ({
      readonly kind: 'record';
      readonly brokerId: string;
      readonly requestId: RequestId;
    } & RecordName);

/** What the name of a commit record says of its result. */
export type RecordName = Pick<ResultEntry, 'submissionTimeMs' | 'expirationTimeMs' | 'rowCount'>;

/** Tells whether `text` can stand as the broker's segment of a key. */
export function isBrokerId(text: string): boolean {
  return text.length <= 255 && brokerIdPattern.test(text);
}

/** Returns the prefix of the keys of all results of a broker. */
export function brokerPrefix(brokerId: string): string {
  return `${brokerId}/`;
}

/** Returns the prefix of the keys of all objects of a result. */
export function resultPrefix(brokerId: string, requestId: RequestId): string {
  return `${brokerId}/${requestId}/`;
}

/** Returns the key of the data file of a result. */
export function dataKeyOf(brokerId: string, requestId: RequestId): string {
  return `${resultPrefix(brokerId, requestId)}${dataName}`;
}

export function runningKeyOf(brokerId: string, requestId: RequestId): string {
  return `${resultPrefix(brokerId, requestId)}${runningName}`;
}

/** Returns the key of a commit record. */
export function recordKeyOf(brokerId: string, requestId: RequestId, name: RecordName): string {
  return `${resultPrefix(brokerId, requestId)}${name.submissionTimeMs}-${name.expirationTimeMs}-${name.rowCount}.json`;
}

/**
 * Parses an object key; undefined for every name that is not exactly such a name; its object must
 * not be touched.
 */
export function parseResultObjectName(key: string): ResultObjectName | undefined {
  const end = key.lastIndexOf('/') + 1;
  const folder = parseResultFolder(key.slice(0, end));
  const file = folder && parseResultFileName(key.slice(end));
  return file && { ...folder, ...file };
}

/**
 * Parses what comes before the last segment of an object key, with its slash; undefined when no
 * result can lie there.
 */
export function parseResultFolder(
  prefix: string,
): Pick<ResultObjectName, 'brokerId' | 'requestId'> | undefined {
  const separator = prefix.indexOf('/');
  if (separator === -1 || !prefix.endsWith('/')) return undefined;
  const brokerId = prefix.slice(0, separator);
  const requestId = prefix.slice(separator + 1, -1);
  return isBrokerId(brokerId) && isRequestId(requestId) ? { brokerId, requestId } : undefined;
}

/**
 * Parses the last segment of an object key; undefined for every name that is not exactly such a
 * name.
 */
export function parseResultFileName(
  name: string,
): { readonly kind: 'data' | 'running' } | ({ readonly kind: 'record' } & RecordName) | undefined {
  if (name === dataName) return { kind: 'data' };
  if (name === runningName) return { kind: 'running' };
  const match = recordNamePattern.exec(name);
  if (match === null) return undefined;
  const [submissionTimeMs, expirationTimeMs, rowCount] = [
    Number(match[1]),
    Number(match[2]),
    Number(match[3]),
  ];
  if (![submissionTimeMs, expirationTimeMs, rowCount].every(Number.isSafeInteger)) return undefined;
  return { kind: 'record', submissionTimeMs, expirationTimeMs, rowCount };
}
