import type { Type as TypeBoxType } from 'typebox';

type Properties = Readonly<Record<string, object>>;

/** The builders without their static types. */
const builders = {
  Array: (items: object, options?: object) => create('Array', { type: 'array', items }, options),
  Boolean: (options?: object) => create('Boolean', { type: 'boolean' }, options),
  Enum: (values: readonly string[], options?: object) => create('Enum', { enum: values }, options),
  Integer: (options?: object) => create('Integer', { type: 'integer' }, options),
  Null: (options?: object) => create('Null', { type: 'null' }, options),
  Number: (options?: object) => create('Number', { type: 'number' }, options),
  Object: (properties: Properties, options?: object) => {
    const required = Object.keys(properties).filter((name) => !isOptional(properties[name]));
    const members = { type: 'object', ...(required.length > 0 && { required }), properties };
    return create('Object', members, options);
  },
  Optional: (schema: object) => copyWithHidden(schema, '~optional', true),
  // Keys are texts.
  Record: (_key: object, value: object, options?: object) =>
    create('Record', { type: 'object', patternProperties: { '^.*$': value } }, options),
  String: (options?: object) => create('String', { type: 'string' }, options),
  Union: (anyOf: readonly object[], options?: object) => create('Union', { anyOf }, options),
  Unknown: (options?: object) => create('Unknown', {}, options),
  Unsafe: (schema: object) => copyWithHidden(schema, '~unsafe', null),
};

/**
 * Builders of JSON Schemas with static types: those of TypeBox, and the same objects. They load
 * nothing, whereas `typebox` has hundreds of modules, a fifth of what a server would load to start.
 * Keys of `Record` are texts.
 */
export const Type = builders as unknown as Pick<
  typeof TypeBoxType,
  keyof typeof builders & keyof typeof TypeBoxType
>;

/** Creates a schema; its kind is hidden, as TypeBox hides it. */
function create(kind: string, members: object, options: object = {}): object {
  return withHidden({ ...members, ...options }, '~kind', kind);
}

function isOptional(schema: object | undefined): boolean {
  return schema !== undefined && Object.hasOwn(schema, '~optional');
}

/** Copies a schema with its hidden members. */
function copyWithHidden(schema: object, name: string, value: unknown): object {
  return withHidden(
    Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)),
    name,
    value,
  );
}

function withHidden(schema: object, name: string, value: unknown): object {
  return Object.defineProperty(schema, name, { configurable: true, writable: true, value });
}
