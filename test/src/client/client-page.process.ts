import { isQuireError, QuireClient } from '@quire/client';

/**
 * The program of a page in a browser: reports to the server the rows that it received from the
 * client.
 */
const { origin } = (globalThis as unknown as { readonly location: { readonly origin: string } })
  .location;

async function use(): Promise<Record<string, unknown>> {
  const client = new QuireClient({ baseUrl: origin, token: 'ann-token' });
  const cursor = await client.query('rows 2500', { rowCount: 1000 });
  const rows: string[] = [];
  for await (const [n, big] of cursor.rows()) rows.push(JSON.stringify([n, `${big as bigint}`]));
  cursor.pageSize = 7;
  const page = await cursor.seek(1996);
  const backward = (await cursor.previous())?.rows[0]?.[0];
  const csv = await new Response(
    cursor.download({ format: 'csv', pageSize: 999 }).toReadableStream(),
  ).text();
  const arrow = await cursor.toArrow();
  await cursor.delete();
  return {
    rowCount: rows.length,
    lastRow: rows.at(-1),
    page: [page.offset, page.rows.length, page.broker],
    backward,
    csv: csv.split('\n').slice(-3),
    arrowSizeIsWhole: arrow.byteLength > 2500 * 16,
    deleted: await codeOf(cursor.seek(0).then(() => cursor.next())),
    stranger: await codeOf(
      new QuireClient({ baseUrl: origin, basic: { user: 'zoë', password: 'x' } }).query('rows 1'),
    ),
    aborted: await nameOf(client.query('hang', { signal: AbortSignal.timeout(50) })),
    hasBuffer: 'Buffer' in globalThis,
  };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'none',
    (error: unknown) => (isQuireError(error) ? error.code : String(error)),
  );
}

async function nameOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'none',
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}

const report = await use().catch((error: unknown) => ({ failure: String(error) }));
await fetch(`/report?${encodeURIComponent(JSON.stringify(report))}`);
