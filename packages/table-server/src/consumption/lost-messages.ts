import type { ConsumingRecord } from '../segments/manifest.ts';

/** Describes the messages that a partition has lost; null if there are none. */
export function noticeOf({ lost }: Pick<ConsumingRecord, 'lost'>): string | null {
  if (lost === undefined) return null;
  const when = new Date(lost.noticedMs).toISOString();
  const what = `The stream had dropped the messages from offset ${lost.fromOffset} up to ${lost.toOffset} before they were consumed`;
  return `${what} (noticed at ${when}): they are not in the table. Keep messages for longer than tables are paused, or load them from files.`;
}
