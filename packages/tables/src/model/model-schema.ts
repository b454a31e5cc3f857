import type { actsByPresence } from './member.ts';

/** What the builders of `member.ts` make, as the walkers of this directory read it: a small part of JSON Schema. */
export interface ModelSchema {
  readonly type?: 'object' | 'array' | 'string' | 'boolean' | 'integer' | 'number';
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, ModelSchema>>;
  readonly additionalProperties?: ModelSchema | boolean;
  readonly items?: ModelSchema;
  readonly [actsByPresence]?: boolean;
}

/** Tells whether a value is an object with members: no list, no null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
