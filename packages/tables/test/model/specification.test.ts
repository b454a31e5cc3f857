import { describe, expect, test } from 'vitest';
import {
  parseTableConfig,
  parseTableSchema,
  PreviewObject,
  TableConfig,
  TableSchema,
} from '../../src/index.ts';
import { completePreviewObject, parsePreviewObject } from '../../src/preview/preview-request.ts';
import { completeTableConfig } from '../../src/config/table-config.ts';
import { completeTableSchema } from '../../src/config/table-schema.ts';
import { isRecord, type ModelSchema } from '../../src/model/document.ts';
import { actsByPresence } from '../../src/model/member.ts';
import { exampleOf, pathsOf, specification } from './specification.ts';

const models = [
  {
    name: 'tableConfig',
    model: TableConfig as ModelSchema,
    parse: (value: unknown) => parseTableConfig(value).config as unknown,
    findings: (value: unknown) => parseTableConfig(value).findings,
    complete: (value: unknown) => completeTableConfig(parseTableConfig(value).config) as unknown,
  },
  {
    name: 'schema',
    model: TableSchema as ModelSchema,
    parse: (value: unknown) => parseTableSchema(value).schema as unknown,
    findings: (value: unknown) => parseTableSchema(value).findings,
    complete: (value: unknown) => completeTableSchema(parseTableSchema(value).schema) as unknown,
  },
  {
    name: 'preview',
    model: PreviewObject as ModelSchema,
    parse: (value: unknown) => parsePreviewObject(value).preview as unknown,
    findings: (value: unknown) => parsePreviewObject(value).findings,
    complete: (value: unknown) =>
      completePreviewObject(parsePreviewObject(value).preview) as unknown,
  },
] as const;

describe.each(models)(
  "the specification's tables of $name",
  ({ name, model, parse, findings, complete }) => {
    const listed = specification[name];
    const paths = pathsOf(listed);

    test('list members, so that this suite can fail', () => {
      expect(paths.length).toBeGreaterThan(50);
    });

    test.each(paths)(`%s is in the model of ${name}, as %s`, (path, type) => {
      expect(typeOf(schemaAt(model, path))).toBe(type);
    });

    test('every member of the model is documented', () => {
      expect(undocumented(model, '')).toEqual([]);
    });

    test('every member of the model survives reading, without a finding', () => {
      const example = exampleOf(listed);
      expect(parse(example)).toEqual(example);
      expect(findings(example)).toEqual([]);
    });

    test('what was completed from every member still has its values', () => {
      const example = exampleOf(listed);
      expect(complete(example)).toMatchObject(example as object);
    });

    test.each(paths.filter(([path]) => !path.includes('[]')))(
      `%s is in a document of ${name} completed from nothing`,
      (path) => {
        expect(hasPath(complete({}), sectionThatIsLeftOut(model, path) ?? path)).toBe(true);
      },
    );

    test.each([{}, exampleOf(listed)])(
      'completing changes no meaning: what is read of it completes to the same (%#)',
      (example) => {
        const completed = complete(example);
        expect(complete(parse(completed))).toEqual(completed);
        expect(findings(completed)).toEqual([]);
      },
    );
  },
);

function schemaAt(model: ModelSchema, path: string): ModelSchema | undefined {
  let schema: ModelSchema | undefined = model;
  for (const segment of path.slice(1).split('/')) {
    schema = schema?.properties?.[segment.replaceAll('[]', '')];
    if (segment.endsWith('[]')) schema = schema?.items;
  }
  return schema;
}

/** Returns the type of a member as named in the specification. */
function typeOf(schema: ModelSchema | undefined): string | undefined {
  if (schema === undefined) return undefined;
  if (schema.type === undefined) return 'any';
  if (schema.properties !== undefined) return 'members';
  if (schema.type !== 'array') return schema.type;
  return schema.items?.properties === undefined
    ? `array of ${schema.items?.type}`
    : 'array of members';
}

function undocumented(schema: ModelSchema, path: string): readonly string[] {
  const own = (schema.description ?? '').endsWith('.') ? [] : [path];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    undocumented(member, `${path}/${name}`),
  );
  const elements =
    schema.items?.properties === undefined ? [] : undocumented(schema.items, `${path}[]`);
  return [...own, ...members, ...elements];
}

/**
 * Returns the outermost section around a member whose presence has an effect: a missing one is null
 * and has no members.
 */
function sectionThatIsLeftOut(model: ModelSchema, path: string): string | undefined {
  const segments = path.split('/');
  return segments
    .map((_, index) => segments.slice(0, index + 1).join('/'))
    .find((outer) => outer !== '' && schemaAt(model, outer)?.[actsByPresence] === true);
}

function hasPath(value: unknown, path: string): boolean {
  let here = value;
  for (const segment of path.slice(1).split('/')) {
    if (!isRecord(here) || !Object.hasOwn(here, segment)) return false;
    here = here[segment];
  }
  return true;
}
