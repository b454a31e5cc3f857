/**
 * A process that writes to a file store until it hangs, to be killed: `store-file-writer.process.ts <root> step <n>` hangs before its n-th
 * change of the file system, `… source <n>` once its source has given n bytes. It says `hanging` then, or `done` if it gets to its end.
 */
import { FileObjectStore, type FileSystem, nodeFileSystem } from '@quire/store-file';
import { replacedObject, writtenObject } from './store-file-workload.ts';

const [root = '', hangAt = '', count = ''] = process.argv.slice(2);
/** Calls that change nothing: to die before one is to die before the next that does. */
const onlyLook = new Set(['realPath', 'status', 'readDirectory']);
let stepCount = 0;
let sourceBytes = 0;

function hang(): Promise<never> {
  process.stdout.write('hanging\n');
  // Without something to wait for, the process would end by itself.
  setInterval(() => undefined, 60_000);
  return new Promise(() => undefined);
}

function hangingFileSystem(): FileSystem {
  const steps = Object.entries(nodeFileSystem).map(([name, step]) => [
    name,
    async (...args: unknown[]) => {
      if (!onlyLook.has(name)) stepCount += 1;
      if (hangAt === 'step' && stepCount === Number(count)) await hang();
      return (step as (...args: unknown[]) => Promise<unknown>)(...args);
    },
  ]);
  return { ...(Object.fromEntries(steps) as FileSystem), statusOfOpen: (fd) => nodeFileSystem.statusOfOpen(fd) };
}

async function* hangingSource(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const chunkBytes = 100_000;
  for (let offset = 0; offset < bytes.byteLength; offset += chunkBytes) {
    if (hangAt === 'source' && sourceBytes >= Number(count)) await hang();
    const chunk = bytes.subarray(offset, offset + chunkBytes);
    sourceBytes += chunk.byteLength;
    yield chunk;
  }
}

const store = await FileObjectStore.open({ root, fileSystem: hangingFileSystem() });
await store.put('old/k', hangingSource(replacedObject));
await store.put('new/deep/k', hangingSource(writtenObject));
await store.delete('gone/k');
process.stdout.write('done\n');
