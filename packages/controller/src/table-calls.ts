import { PinotTableList, PinotTableSchema } from '@quire/api';
import { QuireError } from '@quire/core';
import { Check } from 'typebox/value';
import type { TSchema, Static } from 'typebox';
import type { BrokerClient } from './broker-client.ts';
import { assertStatus } from './result-calls.ts';

/** The most that is read of what calls itself a list of tables, or a schema. */
const answerBytesMax = 16 * 1024 * 1024;

/** The tables of a broker. @throws BROKER_FAILED when it does not answer with a list, and what `BrokerClient.call` throws */
export async function listTables(client: BrokerClient, url: string, signal: AbortSignal): Promise<readonly string[]> {
  const answer = await client.call(url, { method: 'GET', path: '/tables', bytesMax: answerBytesMax, signal });
  assertStatus(answer);
  return parse(PinotTableList, answer.text).tables;
}

/** The columns of a table of a broker; undefined when it has no such table. @throws as `listTables` */
export async function readTableSchema(
  client: BrokerClient,
  url: string,
  tableName: string,
  signal: AbortSignal,
): Promise<PinotTableSchema | undefined> {
  const path = `/tables/${encodeURIComponent(tableName)}/schema`;
  const answer = await client.call(url, { method: 'GET', path, bytesMax: answerBytesMax, signal });
  if (answer.status === 404) return undefined;
  assertStatus(answer);
  return parse(PinotTableSchema, answer.text);
}

function parse<T extends TSchema>(schema: T, text: string): Static<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new QuireError('BROKER_FAILED', 'The answer of the broker is not JSON.', { cause });
  }
  if (!Check(schema, value)) throw new QuireError('BROKER_FAILED', 'The answer of the broker is not what was asked for.');
  return value;
}
