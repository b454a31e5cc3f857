/** A thread that encodes parts of pages, in the order in which they arrive. */
import { parentPort } from 'node:worker_threads';
import { encodeError } from '@quire/core/process';
import { BufferPool } from '../buffer-pool.ts';
import { encodePart, type FromThread, type ToThread } from './part-work.ts';

const pool = new BufferPool();
let running = Promise.resolve();

parentPort?.on('message', (message: ToThread) => {
  running = running.then(() => run(message));
});
send({ kind: 'ready' });

async function run({ number, work }: ToThread): Promise<void> {
  let plainBytes = 0;
  try {
    const chunks = encodePart(work, pool, (sizeBytes) => (plainBytes += sizeBytes));
    for await (const { buffer, byteOffset, byteLength } of chunks) {
      send({
        kind: 'chunk',
        number,
        start: byteOffset,
        end: byteOffset + byteLength,
        ...(buffer !== work.memory && { memory: buffer }),
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
