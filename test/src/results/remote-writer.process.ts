/**
 * A process whose writers store, renew and delete results in buckets, to be killed by the test that
 * holds back a request of each: `remote-writer.process.ts <{"kind", "options", "rowCount"} as
 * JSON>…`. `killWriters` describes their output.
 */
import { flushCompileCache } from 'node:module';
import { ResultStore } from '@quire/results';
import { GcsObjectStore, type GcsObjectStoreOptions } from '@quire/store-gcs';
import { S3ObjectStore, type S3ObjectStoreOptions } from '@quire/store-s3';
import { countingRows } from '../testkit/builders/counting-rows.ts';

interface Writer {
  readonly kind: 'S3' | 'GCS';
  readonly options: GcsObjectStoreOptions & S3ObjectStoreOptions;
  readonly rowCount: number;
}

async function write(writer: number, { kind, options, rowCount }: Writer): Promise<void> {
  await using store =
    kind === 'S3' ? await S3ObjectStore.open(options) : await GcsObjectStore.open(options);
  // Node writes its compile cache at the exit of a process, but this one is killed.
  flushCompileCache();
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 3_600_000,
    expirationMaxMs: 86_400_000,
  });
  const { entry } = await results.create(countingRows(rowCount), { owner: 'o' });
  await results.renew(entry.requestId, 7_200_000);
  await results.create(countingRows(rowCount), { owner: 'o' });
  await results.delete(entry.requestId);
  process.stdout.write(`${writer} done\n`);
}

await Promise.all(process.argv.slice(2).map((json, writer) => write(writer, JSON.parse(json))));
