/** The JSON pointer (RFC 6901) of a member or an element of what `pointer` points to. */
export function pointerTo(pointer: string, ...segments: readonly (string | number)[]): string {
  return segments.reduce<string>(
    (path, segment) => `${path}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}
