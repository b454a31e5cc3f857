/** TypeScript's library does not know it yet: https://tc39.es/proposal-json-parse-with-source. */
const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };

/** JSON with all digits of bigints, where the runtime can write them. */
export function encodeJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' && rawJSON !== undefined ? rawJSON(String(member)) : member,
  );
}
