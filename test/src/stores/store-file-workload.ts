import { patternBytes } from '@quire/core/testing';

/** What is there before the writer starts. */
export const oldObject = patternBytes(5000, 1);
/** What the writer puts in its place, in more than one write. */
export const replacedObject = patternBytes(1_300_000, 2);
/** What the writer puts where nothing was. */
export const writtenObject = patternBytes(1_200_000, 3);
