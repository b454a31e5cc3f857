import { patternBytes } from '@quire/core/testing';

/** The object that exists before the writer starts. */
export const oldObject = patternBytes(5000, 1);
/** The object that the writer replaces it with, in more than one write. */
export const replacedObject = patternBytes(1_300_000, 2);
/** The object that the writer adds. */
export const writtenObject = patternBytes(1_200_000, 3);

/**
 * A writer that hangs in a directory of its own: before a change of the file system, or once its
 * source has delivered the given number of bytes.
 */
export interface HangingWriter {
  readonly root: string;
  readonly hangAt: 'step' | 'source';
  readonly count: number;
}
