/**
 * The ids of the unfinished uploads of stores in this process. A cleaner in this process ignores
 * them.
 */
export const uploadsInProgress: Set<string> = new Set();
