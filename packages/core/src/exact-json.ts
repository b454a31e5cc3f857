/** The function that inserts text into JSON, which TypeScript's library does not declare yet. */
interface RawJson {
  readonly rawJSON?: (text: string) => unknown;
}

/**
 * Writes JSON with all digits of bigints and the sign of −0. `JSON.stringify` refuses the former
 * and writes the latter as 0, which is another value: `1 / −0` is −Infinity. Runtimes that do not
 * implement https://tc39.es/proposal-json-parse-with-source, such as older browsers, write the same
 * as `JSON.stringify`.
 *
 * @throws TypeError when the value has a bigint and the runtime cannot write it
 */
export function writeExactJson(value: unknown): string {
  const { rawJSON } = JSON as RawJson;
  if (rawJSON === undefined) return JSON.stringify(value);
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === 'bigint') return rawJSON(String(member));
    return Object.is(member, -0) ? rawJSON('-0') : member;
  });
}
