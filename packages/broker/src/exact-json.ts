/** The function that inserts text into JSON, which TypeScript's library does not declare yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/**
 * Returns the JSON of parameter values and what belongs to them. `JSON.stringify` writes the DOUBLE
 * −0 as 0, which is another value: `1 / −0` is −Infinity.
 */
export function exactJsonOf(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    Object.is(member, -0) ? rawJSON('-0') : member,
  );
}
