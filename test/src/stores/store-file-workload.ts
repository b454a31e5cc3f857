import { patternBytes } from '@quire/core/testing';

/** What is there before the writer starts. */
export const oldObject = patternBytes(5000, 1);
/** What the writer puts in its place, in more than one write. */
export const replacedObject = patternBytes(1_300_000, 2);
/** What the writer puts where nothing was. */
export const writtenObject = patternBytes(1_200_000, 3);

/**
 * A writer that hangs in a directory of its own: before a change of the file system, or once its
 * source has given as many bytes.
 */
export interface HangingWriter {
  readonly root: string;
  readonly hangAt: 'step' | 'source';
  readonly count: number;
}
