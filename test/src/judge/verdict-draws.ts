import { TableConfig, TableSchema } from '@quire/tables';
import fc from 'fast-check';
import type { Change } from './verdict-cases.ts';
import { hintFor } from './verdict-values.ts';
import { soundTables, wideSchema } from './verdict-tables.ts';

/** The model of a member: the part of JSON Schema that is used. */
interface Model {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Model>>;
  readonly additionalProperties?: Model | boolean;
  readonly items?: Model;
}

/** A sound table and its changes. */
export interface DrawnConfig {
  readonly table: string;
  readonly changes: readonly Change[];
}

/** Values that do not fit the kind of a member, or any kind. */
const odd = fc.constantFrom<unknown>(
  '',
  'x',
  ' ',
  'true',
  '5',
  0,
  -1,
  1.5,
  true,
  null,
  [],
  {},
  ['x'],
  { x: 1 },
  'None',
  [1],
);

/** Every member of the models that changes are drawn for: none is forgotten. */
function membersOf(
  model: Model,
  path: string,
): readonly (readonly [path: string, member: Model])[] {
  return Object.entries(model.properties ?? {}).flatMap(([name, member]) => {
    const inner = path === '' ? name : `${path}.${name}`;
    return [[inner, member] as const, ...membersOf(member, inner)];
  });
}

/** A change of any member, with sections inside of sections as likely as those on top. */
function changeOf(model: Model): fc.Arbitrary<Change> {
  // Tasks are drawn for a controller's own check, which these classes are not.
  const members = membersOf(model, '').filter(([path]) => !path.startsWith('task'));
  return fc
    .constantFrom(...members)
    .chain(([path, member]) => fc.tuple(fc.constant(path), valueOf(member, path, 9)));
}

/** Values of a member: mostly of its kind, sometimes of any kind, and sometimes missing. */
function valueOf(member: Model, path: string, sound: number): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: plausible(member, path), weight: sound * 2 },
    { arbitrary: odd, weight: 1 },
    { arbitrary: fc.constant(undefined), weight: 1 },
  );
}

function plausible(member: Model, path: string): fc.Arbitrary<unknown> {
  const hint = hintFor(path);
  if (hint !== undefined) return hint;
  if (member.enum !== undefined) {
    const words = fc.constantFrom<unknown>(...member.enum);
    return fc.oneof(
      { arbitrary: words, weight: 6 },
      { arbitrary: words.map((word) => String(word).toLowerCase()), weight: 1 },
    );
  }
  switch (member.type) {
    case 'object':
      return objectOf(member, path);
    case 'array':
      return fc.array(member.items === undefined ? odd : plausible(member.items, `${path}.*`), {
        maxLength: 2,
      });
    case 'boolean':
      return fc.constantFrom<unknown>(true, false, true, false, 'true', 'FALSE', 'yes', 1);
    case 'integer':
    case 'number':
      return fc.constantFrom<unknown>(0, 1, 2, 1000, -1, '7', 0.5, 'x');
    default:
      return fc.constantFrom<unknown>('x', 'name', 'DEFAULT', '7d', '3', '', 5, true);
  }
}

function objectOf(
  { properties, additionalProperties }: Model,
  path: string,
): fc.Arbitrary<unknown> {
  if (properties === undefined) {
    const value =
      typeof additionalProperties === 'object' ? plausible(additionalProperties, `${path}.*`) : odd;
    return fc.dictionary(hintFor(`${path}.key`) ?? fc.constantFrom('id', 'name', 'x'), value, {
      maxKeys: 2,
    });
  }
  // The members that identify a section are first in the models, and are mostly present.
  const drawn = Object.entries(properties).map(([name, member], index) => {
    const value = valueOf(member, `${path}.${name}`, 12);
    const left = fc.option(value, { nil: undefined, freq: index < 3 ? 12 : 1 });
    return [
      name,
      index < 3 || Object.keys(properties).length < 6
        ? left
        : fc.option(left, { nil: undefined, freq: 1 }),
    ] as const;
  });
  return fc.record(Object.fromEntries(drawn)).map(withoutUndefined);
}

function withoutUndefined(value: object): unknown {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

/** Sound tables of every kind with one change, or with two or three. */
export const drawnConfigs: fc.Arbitrary<DrawnConfig> = fc.record({
  table: fc.constantFrom(...Object.keys(soundTables)),
  changes: fc.oneof(
    {
      arbitrary: fc.array(changeOf(TableConfig as Model), { minLength: 1, maxLength: 1 }),
      weight: 3,
    },
    {
      arbitrary: fc.array(changeOf(TableConfig as Model), { minLength: 2, maxLength: 3 }),
      weight: 1,
    },
  ),
});

/** Lists of columns to which columns are added, so that references to them stay valid. */
const columnLists = [
  'dimensionFieldSpecs',
  'metricFieldSpecs',
  'dateTimeFieldSpecs',
  'complexFieldSpecs',
] as const;

const addedColumns = fc
  .constantFrom(...columnLists, ...columnLists, 'dateTimeFieldSpecs' as const)
  .chain((list) =>
    (hintFor(list) as fc.Arbitrary<readonly unknown[]>).map((added): Change => [
      list,
      [...wideSchema[list], ...added],
    ]),
  );

const otherSchemaMembers = Object.entries((TableSchema as Model).properties ?? {})
  .filter(([name]) => !columnLists.some((list) => list === name))
  .map(([name, member]) => valueOf(member, name, 9).map((value): Change => [name, value]));

/** Changes of a sound schema: columns that are added, and members that are set. */
export const drawnSchemas: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.oneof(
    { arbitrary: addedColumns, weight: 8 },
    { arbitrary: fc.oneof(...otherSchemaMembers), weight: 2 },
    {
      arbitrary: fc
        .constantFrom(...columnLists)
        .chain((list) => odd.map((value): Change => [list, value])),
      weight: 1,
    },
  ),
  { minLength: 1, maxLength: 2 },
);
