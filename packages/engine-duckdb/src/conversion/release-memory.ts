/**
 * Frees the memory of a buffer, whose contents are no longer read, without waiting for the
 * garbage collector.
 */
export function releaseMemory({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
