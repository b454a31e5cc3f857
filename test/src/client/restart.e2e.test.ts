import { Readable } from 'node:stream';
import { QuireClient } from '@quire/client';
import { expect, test } from 'vitest';
import {
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { freePort } from '../../../scripts/free-port.ts';

test('rows outlive a broker that is killed and started again, and are continued from any row', async () => {
  await using directory = await temporaryDirectory();
  // The client knows one address: the second broker must listen where the first one did.
  const config = await writeSettings(
    directory.path,
    'engine.broker.pagination.protocol = file\nengine.broker.pagination.file.data.dir = results\n',
  );
  const start = ['--config', config, '--set', `engine.broker.client.queryPort=${await freePort()}`];
  const first = await startServer(start);
  await using _first = first.server;
  const client = new QuireClient({
    baseUrl: first.url,
    token: testVariables.TEST_ADMIN_TOKEN,
    // Some minutes: a loaded machine takes longer to start a server than the default lasts.
    retry: { attemptsMax: 60 },
  });
  const cursor = await client.query('SELECT range AS n FROM range(100)', {
    rowCount: 10,
    keep: true,
  });

  const seen: unknown[] = [];
  const rows = cursor.rows();
  for (let count = 0; count < 15; count += 1) seen.push((await rows.next()).value?.[0]);
  await first.server[Symbol.asyncDispose](); // by SIGKILL
  const [rest, second] = await Promise.all([Array.fromAsync(rows, ([n]) => n), startServer(start)]);
  await using _second = second.server;
  seen.push(...rest);
  expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => n));

  const resumed = await client.open(cursor.requestId);
  const tail = await Readable.from(resumed.rows({ from: 97 })).toArray();
  expect(tail).toEqual([[97], [98], [99]]);

  const reason = new Error('enough');
  const aborted: unknown = await Array.fromAsync(
    resumed.rows({ signal: AbortSignal.abort(reason) }),
  ).catch((error: unknown) => error);
  expect(aborted).toBe(reason);
});
