import type { SourceValue } from '../../row.ts';
import { expressionFailed } from '../expression-error.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import type { Parameter } from '../parameter.ts';
import { anything, array, text } from '../parameters.ts';
import { jsonDocument } from '../values/json-document.ts';
import { kindOf } from '../values/kind-of.ts';
import { writeJson } from '../values/json.ts';

type Members = Readonly<Record<string, SourceValue>>;

const map: Parameter<Members> = {
  type: 'map',
  read(value, place) {
    const document = jsonDocument.read(value, place)();
    const isMap =
      typeof document === 'object' && document !== null && !Array.isArray(document) && !(document instanceof Uint8Array);
    if (!isMap) throw expressionFailed(`Expected a map as ${place}, found ${kindOf(value)}.`);
    return document as Members;
  },
};

function memberOf(members: Members, key: string): SourceValue {
  return Object.hasOwn(members, key) ? (members[key] ?? null) : null;
}

/** Looking into maps. */
export const mapFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'mapValue',
    takes: [array, anything, array],
    returns: 'value',
    does: "The value at the place where a key stands among keys: `mapValue(keys, 'a', values)`; null if it is not there.",
    evaluate(keys, key, values) {
      const wanted = keyText(key);
      const index = keys.findIndex((each) => each !== null && keyText(each) === wanted);
      return index < 0 ? null : (values[index] ?? null);
    },
  }),
  scalar({
    name: 'item',
    aliases: ['elementAt'],
    takes: [map, text],
    returns: 'value',
    does: 'The value of a key of a map, or of a JSON object; null if it is not there.',
    evaluate: memberOf,
  }),
  scalar({
    name: 'mapKeys',
    takes: [map],
    returns: 'array',
    does: 'The keys of a map in the order of the alphabet.',
    evaluate: (members) => Object.keys(members).toSorted(),
  }),
  scalar({
    name: 'mapValues',
    takes: [map],
    returns: 'array',
    does: 'The values of a map in the order of their keys.',
    evaluate: (members) =>
      Object.keys(members)
        .toSorted()
        .map((key) => memberOf(members, key)),
  }),
  scalar({
    name: 'jsonKeyValueArrayToMap',
    takes: [jsonDocument],
    optionally: [text, text],
    returns: 'map',
    does: 'A map of an array of objects that have a key and a value each; their names are `key` and `value`, or those given.',
    evaluate(open, keyName = 'key', valueName = 'value') {
      const entries = array.read(open() ?? [], 'argument 1 of jsonKeyValueArrayToMap').flatMap((element) => {
        if (element === null) return [];
        const members = map.read(element, 'an element of the array');
        const key = memberOf(members, keyName);
        return key === null ? [] : [[keyText(key), memberOf(members, valueName)] as const];
      });
      return Object.fromEntries(entries);
    },
  }),
];

function keyText(value: Exclude<SourceValue, null>): string {
  return typeof value === 'string' ? value : writeJson(value);
}
