import type { ServerResponse } from 'node:http';

/**
 * Writes a body chunk by chunk and ends the response; the next chunk is asked for when the system has taken the last one, whose memory is
 * free from then on. When the client goes away, the source is closed and nothing more is asked for.
 *
 * @throws what the source throws; the response is destroyed then, so that no client takes a part for the whole
 */
export async function writeBody(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const closed = new Promise<false>((resolve) => response.once('close', () => resolve(false)));
  try {
    for await (const chunk of chunks) {
      const isTaken = await Promise.race([taken(response, chunk), closed]);
      if (!isTaken) return;
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves to whether the chunk was handed to the system. */
function taken(response: ServerResponse, chunk: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    response.write(chunk, (error) => resolve(error === null || error === undefined));
  });
}
