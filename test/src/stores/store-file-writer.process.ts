/**
 * A process that writes to a file store until it hangs, to be killed: `store-file-writer.process.ts <root> step <n>` hangs before its n-th
 * change of the file system, `… source <n>` once its source has given n bytes. It says `hanging` then, or `done` if it gets to its end.
 */
import { FileObjectStore } from '@quire/store-file';
import { hang, hangingFileSystem } from '../testkit/hanging-file-system.ts';
import { replacedObject, writtenObject } from './store-file-workload.ts';

const [root = '', hangAt = '', count = ''] = process.argv.slice(2);
let sourceBytes = 0;

async function* hangingSource(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const chunkBytes = 100_000;
  for (let offset = 0; offset < bytes.byteLength; offset += chunkBytes) {
    if (hangAt === 'source' && sourceBytes >= Number(count)) await hang();
    const chunk = bytes.subarray(offset, offset + chunkBytes);
    sourceBytes += chunk.byteLength;
    yield chunk;
  }
}

const store = await FileObjectStore.open({ root, fileSystem: hangingFileSystem(hangAt === 'step' ? Number(count) : 0) });
await store.put('old/k', hangingSource(replacedObject));
await store.put('new/deep/k', hangingSource(writtenObject));
await store.delete('gone/k');
process.stdout.write('done\n');
