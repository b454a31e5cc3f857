/** Frees the memory of a buffer that is no longer read, without waiting for garbage collection. */
export function releaseMemory({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
