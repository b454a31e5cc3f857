import { isRequestId, type RequestId } from '@quire/core';
import type { ResultEntry } from './result-entry.ts';

/**
 * Object names of results (CONTRACT.md section 5):
 *
 * <brokerId>/<requestId>/data.arrow
 * <brokerId>/<requestId>/<submissionTimeMs>-<expirationTimeMs>-<rowCount>.json
 * <brokerId>/<requestId>/running.json
 *
 * Everything that listing, expiry and quota need is in the names, so none of them opens an object.
 */
const dataName = 'data.arrow';
/** The name of the mark that exists while a query runs and names its broker. */
const runningName = 'running.json';
const recordNamePattern = /^(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})\.json$/;
const brokerIdPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** The parsed name of one object of a result. */
export type ResultObjectName =
  | { readonly kind: 'data' | 'running'; readonly brokerId: string; readonly requestId: RequestId }
  | ({
      readonly kind: 'record';
      readonly brokerId: string;
      readonly requestId: RequestId;
    } & RecordName);

/** The parsed name of a commit record. */
export type RecordName = Pick<ResultEntry, 'submissionTimeMs' | 'expirationTimeMs' | 'rowCount'>;

/** Reports whether `text` can be the broker's segment of a key. */
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
 * Parses an object key; undefined for every other name. Objects with other names must not be
 * touched.
 */
export function parseResultObjectName(key: string): ResultObjectName | undefined {
  const end = key.lastIndexOf('/') + 1;
  const folder = parseResultFolder(key.slice(0, end));
  const file = folder && parseResultFileName(key.slice(end));
  return file && { ...folder, ...file };
}

/**
 * Parses the part of an object key before the last segment, including its slash; undefined if it is
 * not a result's folder.
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

/** Parses the last segment of an object key; undefined for every other name. */
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
