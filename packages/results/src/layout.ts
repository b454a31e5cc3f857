import { isRequestId, type RequestId } from '@quire/core';
import type { ResultEntry } from './result-entry.ts';

/**
 * Object names of results (contract section 5):
 *
 *     <brokerId>/<requestId>/data.arrow
 *     <brokerId>/<requestId>/<submissionTimeMs>-<expirationTimeMs>-<rowCount>.json
 *
 * Everything that listing, expiry and quota need is in the names, so neither ever opens an object.
 */
const dataName = 'data.arrow';
const recordNamePattern = /^(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})\.json$/;
const brokerIdPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** What the name of one object of ours says. */
export type ResultObjectName =
  | { readonly kind: 'data'; readonly brokerId: string; readonly requestId: RequestId }
  | ({ readonly kind: 'record'; readonly brokerId: string; readonly requestId: RequestId } & RecordName);

export type RecordName = Pick<ResultEntry, 'submissionTimeMs' | 'expirationTimeMs' | 'rowCount'>;

/** Tells whether `text` can stand as the broker's segment of a key. */
export function isBrokerId(text: string): boolean {
  return text.length <= 255 && brokerIdPattern.test(text);
}

export function brokerPrefix(brokerId: string): string {
  return `${brokerId}/`;
}

export function resultPrefix(brokerId: string, requestId: RequestId): string {
  return `${brokerId}/${requestId}/`;
}

export function dataKeyOf(brokerId: string, requestId: RequestId): string {
  return `${resultPrefix(brokerId, requestId)}${dataName}`;
}

export function recordKeyOf(brokerId: string, requestId: RequestId, name: RecordName): string {
  return `${resultPrefix(brokerId, requestId)}${name.submissionTimeMs}-${name.expirationTimeMs}-${name.rowCount}.json`;
}

/** Parses an object key; undefined for every name that is not exactly one of ours, which nobody may then touch. */
export function parseResultObjectName(key: string): ResultObjectName | undefined {
  const [brokerId, requestId, name, ...rest] = key.split('/');
  if (brokerId === undefined || requestId === undefined || name === undefined || rest.length > 0) return undefined;
  if (!isBrokerId(brokerId) || !isRequestId(requestId)) return undefined;
  if (name === dataName) return { kind: 'data', brokerId, requestId };
  const match = recordNamePattern.exec(name);
  if (match === null) return undefined;
  const [submissionTimeMs = NaN, expirationTimeMs = NaN, rowCount = NaN] = match.slice(1).map(Number);
  if (![submissionTimeMs, expirationTimeMs, rowCount].every(Number.isSafeInteger)) return undefined;
  return { kind: 'record', brokerId, requestId, submissionTimeMs, expirationTimeMs, rowCount };
}
