import type { ConsumingRecord, Manifest } from '../segments/manifest.ts';

const streamFilePattern =
  /^(?<segmentName>(?<rawName>.+)__(?<partition>\d+)__(?<sequence>\d+)__\d{8}T\d{4}Z)(?<chunk>\.chunk)?\.[0-9a-f]{12}\.parquet$/;

/**
 * Returns why a file that no record of its table names may go, as a sentence for the log; undefined
 * when nothing explains it. Then the manifest may not be what it was, and the file is kept.
 */
export function explainFile(
  file: string,
  {
    rawName,
    manifest,
    consuming,
    announced,
  }: {
    readonly rawName: string;
    readonly manifest: Manifest;
    readonly consuming: readonly ConsumingRecord[];
    /** Beginnings of names of files that a process announced and did not bring to an end. */
    readonly announced: readonly string[];
  },
): string | undefined {
  const retired = manifest.retired.find((each) => each.file === file);
  if (retired !== undefined) return retired.reason;
  if (announced.some((stem) => file.startsWith(stem))) {
    return 'it was written for a change that did not come to pass';
  }
  const parts = streamFilePattern.exec(file)?.groups;
  if (parts?.['rawName'] !== rawName) return undefined;
  const { segmentName = '', chunk } = parts;
  const partition = Number(parts['partition']);
  const isConsuming = consuming.some((record) => record.segmentName === segmentName);
  if (isConsuming) return 'its rows are consumed again, or are in another file';
  const committed =
    manifest.checkpoints.find((each) => each.partition === partition)?.sequence ?? -1;
  const isSuperseded =
    chunk !== undefined || manifest.segments.some((each) => each.segmentName === segmentName);
  return Number(parts['sequence']) <= committed && isSuperseded
    ? `segment ${segmentName} was committed with another file`
    : undefined;
}
