import type { Clock } from '@quire/core';
import type { Finding } from '../finding.ts';
import type { SourceRow } from '../row.ts';
import type { FileFinder } from '../sources/source-file.ts';
import type { PreviewLimits } from './preview-limits.ts';

/** Rows to preview a table with, and where they come from. */
export interface Sample {
  readonly rows: readonly SourceRow[];
  /** Whether their texts may stand for numbers, as those of CSV do. */
  readonly hasTypedText: boolean;
  /** Files that were read, or that would be. */
  readonly files: readonly string[];
  readonly matchingFileCount: number;
  readonly findings: readonly Finding[];
}

/** A sample of nothing. */
export const noSample: Sample = { rows: [], hasTypedText: false, files: [], matchingFileCount: 0, findings: [] };

export interface SampleOptions {
  readonly clock: Clock;
  readonly finder: FileFinder | undefined;
  readonly limits: PreviewLimits;
  readonly signal: AbortSignal;
}
