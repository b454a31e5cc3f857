import { Type } from '@quire/core/schema';
import type { Static, TSchema, TUnsafe } from 'typebox';

/**
 * References a schema by its `$id`, so that the OpenAPI document has it once, among its components.
 */
export function refer<T extends TSchema>(schema: T): TUnsafe<Static<T>> {
  const { $id } = schema as { $id?: string };
  return Type.Unsafe<Static<T>>({ $ref: `${$id ?? ''}#` });
}

/** References a component by its name; the creator of the document adds it. */
export function componentOf(name: string): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ $ref: `${name}#` });
}
