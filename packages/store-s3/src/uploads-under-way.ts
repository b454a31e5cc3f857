/**
 * The ids of the uploads that stores of this process have begun and not ended. A cleaner in this
 * process leaves them alone.
 */
export const uploadsUnderWay: Set<string> = new Set();
