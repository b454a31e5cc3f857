import type { Clock } from '@quire/core';
import type { Finding } from '../finding.ts';
import type { SourceRow } from '../row.ts';
import type { FileFinder } from '../sources/source-file.ts';
import type { PreviewStream } from './sample-streams.ts';
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
  readonly realtime: RealtimeSample;
}

/** The outcome of reading streams. */
export interface RealtimeSample {
  readonly partitionCount: number;
  /** Readers of partitions that were started, and those of them that failed. */
  readonly runnableCount: number;
  readonly exceptionCount: number;
  readonly metadataFetchTimeMs: number;
}

/** A sample of nothing. */
export const noSample: Sample = {
  rows: [],
  hasTypedText: false,
  files: [],
  matchingFileCount: 0,
  findings: [],
  realtime: { partitionCount: 0, runnableCount: 0, exceptionCount: 0, metadataFetchTimeMs: 0 },
};

export interface SampleOptions {
  readonly clock: Clock;
  readonly finder: FileFinder | undefined;
  /** Opens a stream that may be sampled. @throws STREAM_INVALID when it may not, or cannot work */
  readonly openStream: ((config: Readonly<Record<string, string>>) => PreviewStream) | undefined;
  readonly limits: PreviewLimits;
  readonly signal: AbortSignal;
}
