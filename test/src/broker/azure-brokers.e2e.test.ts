import { QuireClient } from '@quire/client';
import { createRequestId, systemClock, systemRandom } from '@quire/core';
import { collect, patternBytes } from '@quire/core/testing';
import { AzureObjectStore } from '@quire/store-azure';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  propertiesOf,
  quireHere,
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { AzureServer, azureSettingsOf } from '../testkit/servers/azure-server.ts';
import { azurite, describeWithTool } from '../testkit/toolchain.ts';

const prefix = 'engine.broker.pagination';
const headers = { Authorization: 'Bearer admin-token' };

/** Leaves an uncommitted block of an object, like a writer that was killed `ageMs` ago. */
async function abandonBlock(
  { client }: AzureServer,
  { location }: { readonly location: string },
  key: string,
  ageMs: number,
): Promise<void> {
  const id = Buffer.alloc(18);
  id.writeUIntBE(systemClock.nowMs() - ageMs, 0, 6);
  const blob = client.getBlockBlobClient(`${new URL(location).pathname.slice(1)}/${key}`);
  await blob.stageBlock(id.toString('base64'), patternBytes(1024), 1024);
}

async function stored(url: string, rowCount: number): Promise<string> {
  const client = new QuireClient({ baseUrl: url, token: 'admin-token' });
  const sql = `SELECT range AS n FROM range(${rowCount})`;
  return (await client.query(sql, { rowCount: 1 })).requestId;
}

describeWithTool(azurite, 'brokers on Azure Blob Storage', (path) => {
  let azure: AzureServer;
  let options: ReturnType<AzureServer['storeOptions']>;
  let directories: AsyncDisposableStack;
  /** Signs links, and receives the name of its container in the location `file`. */
  let one: Awaited<ReturnType<typeof startServer>>;
  let two: Awaited<ReturnType<typeof startServer>>;

  async function configWith(changes: Readonly<Record<string, string>> = {}): Promise<string> {
    const directory = directories.use(await temporaryDirectory());
    const settings = propertiesOf({ ...azureSettingsOf(options), ...changes });
    return writeSettings(directory.path, settings);
  }

  beforeAll(async () => {
    azure = await AzureServer.start(path);
    options = azure.storeOptions();
    directories = new AsyncDisposableStack();
    const links = { 'engine.broker.links.enabled': 'true', 'engine.broker.links.lifetime': '1h' };
    const viaFile = {
      [`${prefix}.protocol`]: 'file',
      [`${prefix}.file.data.dir`]: options.location,
    };
    const [first, second] = [await configWith({ ...links, ...viaFile }), await configWith()];
    [one, two] = await Promise.all([
      startServer(['--config', first, '--set', 'engine.broker.host.name=one.test']),
      startServer(['--config', second, '--set', 'engine.broker.host.name=two.test']),
    ]);
  });
  afterAll(async () => {
    await one.server[Symbol.asyncDispose]();
    await two.server[Symbol.asyncDispose]();
    await directories[Symbol.asyncDispose]();
    await azure[Symbol.asyncDispose]();
  });

  test("two brokers on one container serve each other's pages, and health says that they share", async () => {
    const requestId = await stored(one.url, 1000);
    const page = await fetch(`${two.url}/query/${requestId}/results?offset=500&numRows=2`, {
      headers,
    });
    expect(page.status).toBe(200);
    const body = (await page.json()) as { resultTable: { rows: unknown } };
    expect(body.resultTable.rows).toEqual([[500], [501]]);
    expect(Object.keys(body)).not.toContain('brokerHost');
    const entry = await fetch(`${two.url}/query/resultStore/${requestId}`, { headers });
    expect(await entry.json()).toMatchObject({
      responseMetadata: [
        { type: 'azure', dataFile: expect.stringContaining(`${options.location}/`) as string },
      ],
    });
    for (const { url } of [one, two]) {
      const health = await (await fetch(`${url}/health`)).json();
      expect(health).toMatchObject({ storeType: 'azure', isStoreShared: true });
    }
  });

  test('a link gives the data file to anyone who has it, and stands in no log', async () => {
    const requestId = await stored(one.url, 1000);
    const link = await fetch(`${one.url}/query/${requestId}/link?format=arrow`, { headers });
    const { url } = (await link.json()) as { readonly url: string };
    const file = await fetch(url);
    expect([file.status, (await file.text()).slice(0, 6)]).toEqual([200, 'ARROW1']);
    const other = await fetch(url.replace('data.arrow', 'other.arrow'));
    expect(other.status).toBe(403);
    const signature = new URL(url).searchParams.get('sig') ?? '';
    expect(signature.length).toBeGreaterThan(20);
    expect(one.server.stdout + one.server.stderr).not.toContain(signature);
  });

  test('a sweep removes the blocks that a dead writer of a result has left, and no others', async () => {
    const id = createRequestId(systemClock, systemRandom);
    const keys = { old: `Broker_a_1/${id}/data.arrow`, young: `Broker_b_1/${id}/data.arrow` };
    const place = azure.storeOptions();
    await abandonBlock(azure, place, keys.old, 7_200_000);
    await abandonBlock(azure, place, keys.young, 0);
    await abandonBlock(azure, place, 'somebody/elses', 7_200_000);
    await using store = await AzureObjectStore.open(place);
    const leftKeys = async (): Promise<unknown[]> =>
      (await collect(store.leftovers.list())).map(({ objectKey }) => objectKey);
    expect(await leftKeys()).toEqual([keys.old, keys.young, 'somebody/elses']);
    const config = await configWith({ [`${prefix}.azure.data.dir`]: place.location });
    const { exitCode, stdout } = await quireHere(['cleaner', '--once', '--config', config], {
      variables: testVariables,
    });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/leftovers of crashed writes: wanted 1 KiB, freed 1 \(1 KiB\)/);
    expect(await leftKeys()).toEqual([keys.young, 'somebody/elses']);
    expect(await collect(store.list('B'))).toEqual([]);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'container',
      { [`${prefix}.azure.data.dir`]: 'az://nobodys/x' },
      /az:\/\/nobodys\/x: .*ContainerNotFound.*Check the name of the container/,
    ],
    [
      'key',
      { [`${prefix}.azure.account.key`]: 'd3Jvbmctd3Jvbmctd3Jvbmc=' },
      /HTTP 403.*Check the credentials.*azure\.account\.key/,
    ],
  ])(
    'a wrong %s is found at the start, in a message that names the setting',
    async (_, changes, message) => {
      const config = await configWith(changes);
      const { exitCode, stderr } = await quireHere(['start', '--config', config], {
        variables: testVariables,
      });
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringMatching(message) as string,
      });
      expect(stderr).toMatch(
        /^error INVALID_SETTING: engine\.broker\.pagination\.azure\.data\.dir = /,
      );
      expect(stderr).not.toContain('Eby8vdM02');
    },
  );
});
