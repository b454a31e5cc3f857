/**
 * A process whose writers write to file stores until they hang, to be killed:
 * `store-file-writer.process.ts <{"root", "hangAt", "count"} as JSON>…`. One that hangs at a `step`
 * hangs before the n-th change of the file system, one at its `source` once that has delivered n
 * bytes. `killWriters` describes their output.
 */
import { flushCompileCache } from 'node:module';
import { FileObjectStore } from '@quire/store-file';
import { hang, hangingFileSystem } from '../testkit/hanging-file-system.ts';
import { type HangingWriter, replacedObject, writtenObject } from './store-file-workload.ts';

async function write(writer: number, { root, hangAt, count }: HangingWriter): Promise<void> {
  let sourceBytes = 0;
  async function* hangingSource(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    const chunkBytes = 100_000;
    for (let offset = 0; offset < bytes.byteLength; offset += chunkBytes) {
      if (hangAt === 'source' && sourceBytes >= count) await hang(writer);
      const chunk = bytes.subarray(offset, offset + chunkBytes);
      sourceBytes += chunk.byteLength;
      yield chunk;
    }
  }
  const store = await FileObjectStore.open({
    root,
    fileSystem: hangingFileSystem(writer, hangAt === 'step' ? count : 0),
  });
  await store.put('old/k', hangingSource(replacedObject));
  await store.put('new/deep/k', hangingSource(writtenObject));
  await store.delete('gone/k');
  process.stdout.write(`${writer} done\n`);
}

// Node writes its compile cache at the exit of a process, but this one is killed.
flushCompileCache();
await Promise.all(process.argv.slice(2).map((json, writer) => write(writer, JSON.parse(json))));
