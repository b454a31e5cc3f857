/**
 * A process that stores, renews and deletes results in files until it hangs before its n-th change of the file system, to be killed:
 * `result-writer.process.ts <root> <n>`. It says `hanging` then, or `done` if it gets to its end.
 */
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { countingRows } from '../testkit/builders/counting-rows.ts';
import { hangingFileSystem } from '../testkit/hanging-file-system.ts';

const [root = '', changeNumber = ''] = process.argv.slice(2);
const store = await FileObjectStore.open({ root, fileSystem: hangingFileSystem(Number(changeNumber)) });
const results = new ResultStore({ store, brokerId: 'b', expirationMs: 3_600_000, expirationMaxMs: 86_400_000 });
const { entry } = await results.create(countingRows(50_000), { owner: 'o' });
await results.renew(entry.requestId, 7_200_000);
await results.create(countingRows(50_000), { owner: 'o' });
await results.delete(entry.requestId);
process.stdout.write('done\n');
