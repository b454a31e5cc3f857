import { request } from 'undici';
import type { PinotAddress } from '../../../test/src/testkit/servers/pinot-server.ts';

/**
 * Reads the cluster's own answer to a query to its end, and discards it.
 *
 * @throws Error when the response is not HTTP 200 with many bytes
 */
export async function readWhole(pinot: PinotAddress, sql: string): Promise<void> {
  const { statusCode, body } = await ask(pinot, '', sql);
  let sizeBytes = 0;
  for await (const chunk of body) sizeBytes += (chunk as Uint8Array).byteLength;
  if (statusCode !== 200 || sizeBytes < bytesMin) {
    throw new Error(`${sql} was answered with HTTP ${statusCode} and ${sizeBytes} bytes.`);
  }
}

/** A failure of a query is shorter. */
const bytesMin = 10_000;

/** Runs a query with a cursor of Apache Pinot's own; returns its id. */
export async function openCursor(pinot: PinotAddress, sql: string): Promise<string> {
  const { body } = await ask(pinot, '?getCursor=true&numRows=1', sql);
  const text = await body.text();
  const { requestId, exceptions } = JSON.parse(text) as {
    requestId?: string;
    exceptions: readonly unknown[];
  };
  if (requestId === undefined || exceptions.length > 0) {
    throw new Error(`${sql} was answered with ${text.slice(0, 2000)}`);
  }
  return requestId;
}

/** Deletes the data that a cursor has stored. */
export async function closeCursor(pinot: PinotAddress, id: string): Promise<void> {
  const { brokerUrl, authorization } = pinot;
  const { body } = await request(`${brokerUrl}/responseStore/${id}`, {
    method: 'DELETE',
    headers: { authorization },
  });
  await body.dump();
}

function ask({ brokerUrl, authorization }: PinotAddress, parameters: string, sql: string) {
  return request(`${brokerUrl}/query/sql${parameters}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ sql, queryOptions: 'timeoutMs=600000' }),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
