import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import type { PinotAddress } from '../../../test/src/testkit/servers/pinot-server.ts';

const segmentRowCount = 250_000;
const pollMs = 100;
const cities = [
  'Amsterdam',
  'Berlin',
  'Cairo',
  'Delhi',
  'Edinburgh',
  'Florence',
  'Geneva',
  'Hamburg',
];

/**
 * Creates the table `events` of five columns, with so many rows; resolves once queries see them
 * all.
 */
export async function loadEvents(pinot: PinotAddress, rowCount: number): Promise<void> {
  await tell(pinot, '/schemas', {
    schemaName: 'events',
    dimensionFieldSpecs: [
      { name: 'id', dataType: 'LONG' },
      { name: 'city', dataType: 'STRING' },
      { name: 'note', dataType: 'STRING' },
      { name: 'amount', dataType: 'DOUBLE' },
      { name: 'at', dataType: 'TIMESTAMP' },
    ],
  });
  const config = {
    tableName: 'events_OFFLINE',
    tableType: 'OFFLINE',
    segmentsConfig: { replication: '1' },
  };
  await tell(pinot, '/tables', { ...config, tenants: {}, tableIndexConfig: {}, metadata: {} });
  const batchConfig = encodeURIComponent(JSON.stringify({ inputFormat: 'json' }));
  for (let first = 0; first < rowCount; first += segmentRowCount) {
    const form = new FormData();
    form.append(
      'file',
      new Blob([linesOf(first, Math.min(rowCount, first + segmentRowCount))]),
      'rows.json',
    );
    const path = `/ingestFromFile?tableNameWithType=events_OFFLINE&batchConfigMapStr=${batchConfig}`;
    const response = await fetch(`${pinot.controllerUrl}${path}`, { method: 'POST', body: form });
    if (!response.ok) {
      throw new Error(`Loading was answered with ${response.status}: ${await response.text()}`);
    }
  }
  while ((await countEvents(pinot)) !== rowCount) await setTimeout(pollMs);
}

function linesOf(first: number, end: number): string {
  let lines = '';
  for (let id = first; id < end; id += 1) {
    const [city, amount, at] = [
      cities[(id * 7) % cities.length],
      ((id * 7919) % 100_000) / 100,
      1_767_225_600_000 + id * 1000,
    ];
    lines += `{"id":${id},"city":"${city}","note":"event ${(id * 31) % 997} of ${city}","amount":${amount},"at":${at}}\n`;
  }
  return lines;
}

async function tell(
  { controllerUrl }: PinotAddress,
  path: string,
  document: object,
): Promise<void> {
  const { statusCode, body } = await request(`${controllerUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}: ${text}`);
}

async function countEvents({
  brokerUrl,
  authorization,
}: PinotAddress): Promise<number | undefined> {
  const { body } = await request(`${brokerUrl}/query/sql`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ sql: 'SELECT count(*) FROM events' }),
  });
  const answer = (await body.json()) as {
    readonly resultTable?: { readonly rows: readonly (readonly number[])[] };
  };
  return answer.resultTable?.rows[0]?.[0];
}
