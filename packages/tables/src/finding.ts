import type { Finding } from '@quire/core/table-engine';

export type { Finding };

/**
 * The findings in the one order in which they are given: by path, elements of lists by number, then
 * by code and message.
 */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted(
    (left, right) =>
      comparePaths(left.path, right.path) ||
      compareTexts(left.code, right.code) ||
      compareTexts(left.message, right.message),
  );
}

/** The same findings about something that stands at `pointer` of a larger document. */
export function nestFindings(findings: readonly Finding[], pointer: string): readonly Finding[] {
  return findings.map((finding) => ({ ...finding, path: `${pointer}${finding.path}` }));
}

function comparePaths(left: string, right: string): number {
  const rights = right.split('/');
  for (const [index, segment] of left.split('/').entries()) {
    const other = rights[index];
    if (other === undefined) return 1;
    if (segment !== other) return compareSegments(segment, other);
  }
  return left.length - right.length;
}

function compareSegments(left: string, right: string): number {
  const areNumbers = /^\d+$/.test(left) && /^\d+$/.test(right);
  return areNumbers
    ? Number(left) - Number(right) || compareTexts(left, right)
    : compareTexts(left, right);
}

/** By code units: the same on every machine, whatever its language. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The JSON pointer (RFC 6901) of a member or an element of what `pointer` points to. */
export function pointerTo(pointer: string, ...segments: readonly (string | number)[]): string {
  return segments.reduce<string>(
    (path, segment) => `${path}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}
