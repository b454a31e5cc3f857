/**
 * A process that stores, renews and deletes results in a bucket, to be killed by the test that holds back one of its requests:
 * `remote-writer.process.ts <S3|GCS> <options of the store as JSON> <rows>`. It says `done` if it gets to its end.
 */
import { ResultStore } from '@quire/results';
import { GcsObjectStore, type GcsObjectStoreOptions } from '@quire/store-gcs';
import { S3ObjectStore, type S3ObjectStoreOptions } from '@quire/store-s3';
import { countingRows } from '../testkit/builders/counting-rows.ts';

const [kind = '', json = '', rowCount = ''] = process.argv.slice(2);
const options = JSON.parse(json) as GcsObjectStoreOptions & S3ObjectStoreOptions;
await using store = kind === 'S3' ? await S3ObjectStore.open(options) : await GcsObjectStore.open(options);
const results = new ResultStore({ store, brokerId: 'b', expirationMs: 3_600_000, expirationMaxMs: 86_400_000 });
const { entry } = await results.create(countingRows(Number(rowCount)), { owner: 'o' });
await results.renew(entry.requestId, 7_200_000);
await results.create(countingRows(Number(rowCount)), { owner: 'o' });
await results.delete(entry.requestId);
process.stdout.write('done\n');
