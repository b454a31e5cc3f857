/**
 * Frees the memory of a buffer, whose contents nobody looks at any more, without waiting for the
 * garbage collector.
 */
export function releaseMemory({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
