/**
 * A process whose writers store, renew and delete results in files until each hangs before its n-th
 * change of the file system, to be killed: `result-writer.process.ts <{"root", "change"} as
 * JSON>…`. `killWriters` describes their output.
 */
import { flushCompileCache } from 'node:module';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { countingRows } from '../testkit/builders/counting-rows.ts';
import { hangingFileSystem } from '../testkit/hanging-file-system.ts';

async function write(
  writer: number,
  { root, change }: { readonly root: string; readonly change: number },
): Promise<void> {
  const store = await FileObjectStore.open({ root, fileSystem: hangingFileSystem(writer, change) });
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 3_600_000,
    expirationMaxMs: 86_400_000,
  });
  const { entry } = await results.create(countingRows(50_000), { owner: 'o' });
  await results.renew(entry.requestId, 7_200_000);
  await results.create(countingRows(50_000), { owner: 'o' });
  await results.delete(entry.requestId);
  process.stdout.write(`${writer} done\n`);
}

// Node writes its compile cache at the exit of a process, but this one is killed.
flushCompileCache();
await Promise.all(process.argv.slice(2).map((json, writer) => write(writer, JSON.parse(json))));
