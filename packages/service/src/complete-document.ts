/** A part of an OpenAPI document. */
type Part = Readonly<Record<string, unknown>>;

const prefix = '#/components/schemas/';
const int32Max = 2 ** 31 - 1;

/**
 * Returns the OpenAPI document as it is served to generators of clients. Integers declare their
 * maximum, because generators otherwise assume 32 bits and timestamps need more. Schemas that no
 * call of this service uses are omitted.
 */
export function completeDocument(document: Part): Part {
  const sized = withFormats(document) as Part & {
    readonly components?: { readonly schemas?: Part };
  };
  const { components = {}, ...rest } = sized;
  const schemas = components.schemas ?? {};
  const used = usedSchemas(rest, schemas);
  const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
  return { ...rest, components: { ...components, schemas: kept } };
}

function withFormats(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withFormats);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(
    Object.entries(part).map(([name, member]) => [name, withFormats(member)]),
  );
  const { type, format, maximum } = copy;
  const isInteger = type === 'integer' || (Array.isArray(type) && type.includes('integer'));
  if (!isInteger || format !== undefined) return copy;
  return {
    ...copy,
    format: typeof maximum === 'number' && maximum <= int32Max ? 'int32' : 'int64',
  };
}

/** Returns the names of the schemas that a part references, directly and indirectly. */
function usedSchemas(part: unknown, schemas: Part): ReadonlySet<string> {
  const used = new Set<string>();
  const look = (member: unknown): void => {
    if (typeof member !== 'object' || member === null) return;
    const { $ref: reference } = member as { readonly $ref?: unknown };
    if (typeof reference === 'string' && reference.startsWith(prefix)) {
      const name = reference.slice(prefix.length);
      if (used.has(name)) return;
      used.add(name);
      look(schemas[name]);
    }
    Object.values(member).forEach(look);
  };
  look(part);
  return used;
}
