/**
 * Called when the work on messages begins: time that it waited does not count. It stands by itself,
 * so that neither side loads the other.
 */
export const chunkBegins = 'chunk begins';
