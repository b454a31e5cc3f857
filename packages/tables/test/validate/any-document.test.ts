import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  parseTableConfig,
  parseTableSchema,
  validateTableConfig,
  validateTableSchema,
} from '../../src/index.ts';
import { completeTableConfig } from '../../src/config/table-config.ts';
import { completeTableSchema } from '../../src/config/table-schema.ts';
import { isRecord } from '../../src/model/document.ts';
import { exampleOf, specification } from '../model/specification.ts';

/**
 * Generates documents with every member, some of which, at any depth, are replaced by arbitrary
 * JSON.
 */
function damaged(document: unknown): fc.Arbitrary<unknown> {
  const damage = fc.tuple(fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), fc.jsonValue());
  return fc
    .array(damage, { maxLength: 6 })
    .map((damages) =>
      damages.reduce((whole, [way, value]) => replace(whole, way, value), document),
    );
}

function replace(document: unknown, [turn, ...way]: readonly number[], value: unknown): unknown {
  const isList = Array.isArray(document);
  if (
    turn === undefined ||
    (!isList && !isRecord(document)) ||
    Object.keys(document).length === 0
  ) {
    return value;
  }
  const entries = Object.entries(document);
  const changed = entries.map(([name, member], place) => [
    name,
    place === turn % entries.length ? replace(member, way, value) : member,
  ]);
  return isList ? changed.map(([, member]) => member) : Object.fromEntries(changed);
}

const config = damaged(exampleOf(specification.tableConfig));
const schema = damaged(exampleOf(specification.schema));

test('any document is read, checked and completed without an error thrown, and completed it has no wrong type left', () => {
  fc.assert(
    fc.property(config, schema, (givenConfig, givenSchema) => {
      const read = {
        config: parseTableConfig(givenConfig).config,
        schema: parseTableSchema(givenSchema).schema,
      };
      const findings = [
        ...validateTableSchema(read.schema),
        ...validateTableConfig(read.config, { schema: read.schema }),
      ];
      expect(findings.every(({ path, message }) => /^(\/|$)/.test(path) && message !== '')).toBe(
        true,
      );
      expect(parseTableConfig(completeTableConfig(read.config)).findings).toEqual([]);
      expect(parseTableSchema(completeTableSchema(read.schema)).findings).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
