/** Tells whether an If-None-Match header names the tag: by itself, in a list, weakly, or as `*` (RFC 9110 section 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // Our tags hold no comma, so a list can be cut at commas.
  const named = ifNoneMatch.split(',').map((candidate) => candidate.trim());
  return named.includes('*') || named.includes(tag) || named.includes(`W/${tag}`);
}
