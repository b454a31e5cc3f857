/** A thread that encodes parts of pages, in the order in which they arrive. */
import { parentPort } from 'node:worker_threads';
import { encodeError } from '@quire/core/process';
import { BufferPool } from '../buffer-pool.ts';
import { PartOutputs } from './part-outputs.ts';
import { encodePart, type FromThread, type ToThread } from './part-work.ts';

const pool = new BufferPool();
let running = Promise.resolve();

parentPort?.on('message', (message: ToThread) => {
  running = running.then(() => run(message));
});
send({ kind: 'ready' });

async function run({ number, work, outputs }: ToThread): Promise<void> {
  const lent = new PartOutputs(outputs);
  let plainBytes = 0;
  try {
    const onEncoded = (sizeBytes: number): void => void (plainBytes += sizeBytes);
    for await (const chunk of encodePart(work, pool, lent, onEncoded)) {
      const { byteLength: sizeBytes } = chunk;
      const { buffer, isLent } = lent.giveAway(chunk);
      send({ kind: 'chunk', number, buffer, sizeBytes, isLent }, [buffer]);
    }
    const buffers = [work.input, ...lent.giveRest()];
    send({ kind: 'done', number, plainBytes, buffers }, buffers);
  } catch (error) {
    // A compressor may still read the input, which this thread leaves to its garbage collector.
    const buffers = lent.giveRest();
    send({ kind: 'done', number, plainBytes, error: encodeError(error), buffers }, buffers);
  }
}

function send(message: FromThread, buffers: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, buffers);
}
