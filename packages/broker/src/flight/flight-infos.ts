import type { Timestamp, FlightEndpoint, FlightInfo } from '@quire/flight';
import { statementTicket } from '@quire/flight';
import type { RequestId } from '@quire/core';
import { encodeSchema, type GrowingResult, type Result } from '@quire/results';
import { encodeRowsTicket, type RowsTicket } from './handles.ts';

/** The facts about a result that clients get besides its rows, as JSON. */
function appMetadataOf(requestId: RequestId, isReused: boolean): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ requestId, ...(isReused && { isReused }) }));
}

/**
 * Describes a stored result, in one endpoint: clients that open several at once read them out of
 * order.
 */
export function infoOfResult(
  { entry, schema }: Result,
  {
    isReused = false,
    ends = [],
  }: { readonly isReused?: boolean; readonly ends?: readonly number[] } = {},
): Partial<FlightInfo> {
  const { requestId, rowCount, sizeBytes, expirationTimeMs } = entry;
  const given = ends.filter((end) => end < rowCount);
  return {
    schema: encodeSchema(schema),
    endpoints: endpointsOf(requestId, given, { expirationTimeMs }),
    totalRecords: BigInt(rowCount),
    totalBytes: BigInt(sizeBytes),
    isOrdered: true,
    appMetadata: appMetadataOf(requestId, isReused),
  };
}

/** The number of rows or bytes of a running query. */
const unknownCount = -1n;

/** Describes a running query, in one endpoint: its rows are sent as they become readable. */
export function infoOfRunning({ requestId, schema }: GrowingResult): Partial<FlightInfo> {
  return {
    schema: schema === undefined ? new Uint8Array(0) : encodeSchema(schema),
    endpoints: endpointsOf(requestId, [], {}),
    totalRecords: unknownCount,
    totalBytes: unknownCount,
    isOrdered: true,
    appMetadata: appMetadataOf(requestId, false),
  };
}

/** Describes the rows of a running query that are readable now. */
export function infoOfGrowth(
  { requestId, schema, rowCount, sizeBytes }: GrowingResult,
  ends: readonly number[],
): Partial<FlightInfo> {
  return {
    schema: schema === undefined ? new Uint8Array(0) : encodeSchema(schema),
    endpoints: endpointsOf(requestId, ends, {}).slice(0, -1),
    totalRecords: BigInt(rowCount),
    totalBytes: BigInt(sizeBytes),
    isOrdered: true,
    appMetadata: appMetadataOf(requestId, false),
  };
}

/** Returns an endpoint up to each of the ends, and one for all rows after the last. */
function endpointsOf(
  requestId: RequestId,
  ends: readonly number[],
  { expirationTimeMs }: { readonly expirationTimeMs?: number },
): FlightEndpoint[] {
  const starts = [0, ...ends];
  return starts.map((offset, index) => {
    const end = ends[index];
    const rowCount = end === undefined ? undefined : end - offset;
    return endpointOf({ requestId, offset, rowCount }, expirationTimeMs);
  });
}

export function endpointOf(rows: RowsTicket, expirationTimeMs?: number): FlightEndpoint {
  return {
    ticket: { ticket: statementTicket(encodeRowsTicket(rows)) },
    // An empty list means the responding server; a host name would have to be reachable from every
    // client.
    locations: [],
    expirationTime: expirationTimeMs === undefined ? undefined : timestampOf(expirationTimeMs),
    appMetadata: new Uint8Array(0),
  };
}

export function timestampOf(timeMs: number): Timestamp {
  const seconds = Math.floor(timeMs / 1000);
  return { seconds: BigInt(seconds), nanos: Math.round((timeMs - seconds * 1000) * 1e6) };
}
