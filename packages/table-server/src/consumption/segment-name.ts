/** `<table>__<partition>__<sequence>__<yyyyMMdd'T'HHmm'Z'>`, as the open peer names segments of a stream. */
export function streamSegmentName(rawName: string, partition: number, sequence: number, createdMs: number): string {
  const minute = new Date(createdMs).toISOString().slice(0, 16).replaceAll(/[-:]/g, '');
  return `${rawName}__${partition}__${sequence}__${minute}Z`;
}
