import { MiB } from '@quire/core';

/**
 * Flags of Node for processes that may take so much memory. With a limit for the heap, Node lets it
 * grow by little between two full collections, which then take a tenth to half of the work: it may
 * double.
 */
export function heapFlags(memoryBytesMax: number): string[] {
  return [`--max-old-space-size=${Math.ceil(memoryBytesMax / MiB)}`, '--heap-growing-percent=100'];
}
