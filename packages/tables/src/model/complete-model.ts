import type { TSchema } from 'typebox';
import { actsByPresence } from './member.ts';
import { isRecord, type ModelSchema } from './model-schema.ts';

/**
 * The value with every member of its model: the default where it has none, null where there is no default.
 *
 * The meaning stays: the members of a section that acts by being there are all null when it is left out, and `readModel`
 * takes such a section for left out. Members that the model does not have are kept. Pure.
 */
export function completeModel(model: TSchema, value: unknown): unknown {
  return complete(model, value);
}

function complete(schema: ModelSchema, value: unknown): unknown {
  if (schema.properties !== undefined && (isRecord(value) || value === undefined)) {
    return completeSection(schema.properties, value, value !== undefined || schema[actsByPresence] !== true);
  }
  if (schema.items !== undefined && Array.isArray(value)) {
    const { items } = schema;
    return value.map((element: unknown) => complete(items, element));
  }
  if (isRecord(schema.additionalProperties) && isRecord(value)) {
    const members: ModelSchema = schema.additionalProperties;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, complete(members, member)]));
  }
  return value ?? schema.default ?? null;
}

function completeSection(
  properties: Readonly<Record<string, ModelSchema>>,
  value: Readonly<Record<string, unknown>> | undefined,
  isThere: boolean,
): Readonly<Record<string, unknown>> {
  const known = Object.entries(properties).map(([name, member]) => {
    const given = value !== undefined && Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined;
    return [name, isThere || given !== undefined ? complete(member, given) : blank(member)] as const;
  });
  const others = Object.entries(value ?? {}).filter(([name]) => !Object.hasOwn(properties, name));
  return Object.fromEntries([...known, ...others]);
}

/** A section that is left out, with its members; null for everything else. */
function blank(schema: ModelSchema): unknown {
  if (schema.properties === undefined) return null;
  return Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, blank(member)]));
}
