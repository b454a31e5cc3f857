/**
 * The ids of the unfinished uploads of stores in this process. A cleaner in this process ignores
 * them.
 */
export const uploadsUnderWay: Set<string> = new Set();
