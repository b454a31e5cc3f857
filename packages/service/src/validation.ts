import { QuireError } from '@quire/core';
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js';
import type { TSchema } from 'typebox';
import type { Validator } from 'typebox/schema';

/**
 * Validates bodies against their schemas. Paths and query parameters are not checked here: routes
 * parse those with `@quire/api`, whose errors name the parameter, its value and the expected
 * format, and which supports numbers of any length.
 *
 * A validator is compiled for the first body of its route, and TypeBox is loaded for the very first
 * body, so that a server starts faster.
 */
export const compileValidator = ({
  schema,
  httpPart,
}: Pick<FastifyRouteSchemaDef<TSchema>, 'schema' | 'httpPart'>) => {
  if (httpPart !== 'body') return (value: unknown) => ({ value });
  let validator: Validator | undefined;
  return (value: unknown) => {
    if (validator === undefined) return compileAndValidate(value);
    const error = problemOf(validator, value);
    return error === undefined ? { value } : { error };
  };

  async function compileAndValidate(value: unknown): Promise<void> {
    const { Compile } = await import('typebox/schema');
    validator ??= Compile(withoutPatterns(schema) as TSchema);
    const error = problemOf(validator, value);
    if (error !== undefined) throw error;
  }
};

function problemOf(validator: Validator, value: unknown): QuireError | undefined {
  if (validator.Check(value)) return undefined;
  const [, violations] = validator.Errors(value);
  return bodyError(violations[0]);
}

/**
 * Removes patterns, which are documentation: routes explain in a sentence what is wrong with a
 * text.
 */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== 'object' || schema === null) return schema;
  const isPattern = (name: string, value: unknown): boolean =>
    name === 'pattern' && typeof value === 'string';
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !isPattern(name, value))
      .map(([name, value]) => [name, withoutPatterns(value)]),
  );
}

interface SchemaViolation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message: string;
  readonly params: object;
}

function bodyError(violation: SchemaViolation | undefined): QuireError {
  if (violation === undefined) {
    return new QuireError('INVALID_BODY', 'The request body does not match the API document.');
  }
  if (violation.keyword === 'required') {
    const { requiredProperties = [] } = violation.params as {
      requiredProperties?: readonly string[];
    };
    return new QuireError(
      'INVALID_BODY',
      `The request body lacks ${requiredProperties.map((name) => `'${name}'`).join(', ')}.`,
    );
  }
  const member =
    violation.instancePath === ''
      ? 'The request body'
      : `'${violation.instancePath.slice(1)}' in the request body`;
  return new QuireError('INVALID_BODY', `${member} ${messageOf(violation)}.`);
}

/**
 * Returns Ajv's message with articles: Ajv writes `must be object`, and separates several types
 * with commas.
 */
function messageOf({ keyword, message, params }: SchemaViolation): string {
  if (keyword !== 'type') return message;
  const types = [(params as { readonly type: string | readonly string[] }).type].flat();
  const named = types.map((type) => typeNames[type] ?? type);
  return `must be ${named.join(' or ')}`;
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'an integer',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};
