import type { QueryPage } from '@quire/client';
import { formatDurationMs } from '@quire/core';

/** Describes the rows of a page, counted from 1: `rows 1–20 of 3,000,000`. */
export function describeRows(page: QueryPage): string {
  const total = page.totalRowCount;
  if (page.rows.length === total) {
    return total === 0 ? 'no rows' : `${grouped(total)} ${total === 1 ? 'row' : 'rows'}`;
  }
  if (page.rows.length === 0) {
    return `no rows from row ${grouped(page.offset + 1)} on, of ${grouped(total)}`;
  }
  if (page.rows.length === 1) return `row ${grouped(page.offset + 1)} of ${grouped(total)}`;
  return `rows ${grouped(page.offset + 1)}–${grouped(page.offset + page.rows.length)} of ${grouped(total)}`;
}

/** Formats a duration for display: `87 ms`, `1.2 s`, `2m5s`. */
export function formatElapsed(elapsedMs: number): string {
  if (elapsedMs < 1000) return `${Math.max(1, Math.round(elapsedMs))} ms`;
  if (elapsedMs < 60_000) return `${(elapsedMs / 1000).toFixed(1)} s`;
  return formatDurationMs(Math.round(elapsedMs / 1000) * 1000);
}

/** Formats a count with thousands separators. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** Formats the time left: to the second in the last minute, then to the minute. */
export function formatTimeLeft(timeLeftMs: number): string {
  if (timeLeftMs <= 0) return 'expired';
  const unitMs = timeLeftMs < 60_000 ? 1000 : 60_000;
  return formatDurationMs(Math.ceil(timeLeftMs / unitMs) * unitMs);
}

/** Formats an instant in UTC, to the second. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
