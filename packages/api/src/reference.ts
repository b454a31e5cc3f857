import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';

/**
 * Refers to a schema that has an `$id`, so that the OpenAPI document holds it once, among its
 * components.
 */
export function refer<T extends TSchema>(schema: T): TUnsafe<Static<T>> {
  const { $id } = schema as { $id?: string };
  return Type.Unsafe<Static<T>>({ $ref: `${$id ?? ''}#` });
}

/** Refers to a component by its name; the maker of the document adds it. */
export function componentOf(name: string): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ $ref: `${name}#` });
}
