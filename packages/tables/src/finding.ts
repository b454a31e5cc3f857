import type { Finding } from '@quire/core/table-engine';

export type { Finding };

/** Sorts findings by path, with the elements of lists by number, then by code and message. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted(
    (left, right) =>
      comparePaths(left.path, right.path) ||
      compareTexts(left.code, right.code) ||
      compareTexts(left.message, right.message),
  );
}

/** Returns the findings about a part of a larger document, with their paths below `pointer`. */
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

/** Compares by code units, so that the order is the same in every locale. */
function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Returns the JSON pointer (RFC 6901) of a member or an element of the value at `pointer`. */
export function pointerTo(pointer: string, ...segments: readonly (string | number)[]): string {
  return segments.reduce<string>(
    (path, segment) => `${path}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}
