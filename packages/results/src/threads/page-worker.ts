/** A thread that encodes parts of pages, in the order in which they arrive. */
import { parentPort } from 'node:worker_threads';
import { encodeError } from '@quire/core/process';
import { BufferPool } from '../buffer-pool.ts';
import { encodePart, type FromThread, type ToThread } from './part-work.ts';

const pool = new BufferPool();
/**
 * Memory by number. The garbage collector would count each new view as the whole buffer, and soon
 * start a collection.
 */
const memories = new Map<number, SharedArrayBuffer>();
let running = Promise.resolve();

parentPort?.on('message', (message: ToThread) => {
  running = running.then(() => run(message));
});
send({ kind: 'ready' });

async function run({ number, work, dropped }: ToThread): Promise<void> {
  for (const each of dropped) memories.delete(each);
  const memory = work.memory.buffer ?? memories.get(work.memory.number);
  let plainBytes = 0;
  try {
    if (memory === undefined) throw new Error('The thread lacks the memory of its work.');
    memories.set(work.memory.number, memory);
    const chunks = encodePart(work, memory, pool, (sizeBytes) => (plainBytes += sizeBytes));
    for await (const { buffer, byteOffset, byteLength } of chunks) {
      send({
        kind: 'chunk',
        number,
        start: byteOffset,
        end: byteOffset + byteLength,
        ...(buffer !== memory && { memory: buffer }),
      });
    }
    send({ kind: 'done', number, plainBytes });
  } catch (error) {
    send({ kind: 'failed', number, error: encodeError(error) });
  }
}

function send(message: FromThread): void {
  parentPort?.postMessage(message);
}
