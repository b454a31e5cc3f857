import { type Fault, placedMembers, rulesAbout } from './rule.ts';
import { missingMembers } from './values-at.ts';

const { error, warning } = rulesAbout('names');

/** Rules about the name of a table, and about placeholders. */
export const nameRules = [
  error('TABLE_NAME_MISSING', 'A table has a name.', function* ({ config }) {
    if ((config.tableName ?? '').trim() === '') yield ['/tableName', 'The table has no name.'];
  }),
  error('TABLE_NAME_SPACE', 'Names of tables have no white space.', function* ({ config }) {
    if (/\s/.test((config.tableName ?? '').trim())) {
      yield ['/tableName', `The name ‘${config.tableName}’ has white space in it.`];
    }
  }),
  error(
    'TABLE_NAME_DOTS',
    'Names of tables have at most one dot: database.table.',
    function* ({ config }) {
      if ((config.tableName ?? '').split('.').length > 2) {
        yield [
          '/tableName',
          `The name ${config.tableName} has more than one dot; expected database.table.`,
        ];
      }
    },
  ),
  error(
    'TABLE_NAME_UNDERSCORES',
    'Names of tables have no two underscores together.',
    function* ({ config }) {
      if (config.tableName?.includes('__') === true) {
        yield [
          '/tableName',
          `The name ${config.tableName} contains ‘__’, the separator in the names of segments.`,
        ];
      }
    },
  ),
  error(
    'TABLE_NAME_TYPE',
    'The ending of a name, _OFFLINE or _REALTIME, agrees with the type of the table.',
    function* ({ config }) {
      const suffix = /_(OFFLINE|REALTIME)$/.exec(config.tableName ?? '')?.[1];
      if (suffix !== undefined && suffix !== (config.tableType ?? 'OFFLINE')) {
        yield [
          '/tableName',
          `${config.tableName} is ${config.tableType ?? 'OFFLINE'}, but its name ends in _${suffix}.`,
        ];
      }
    },
  ),
  error(
    'SCHEMA_NAME_MISMATCH',
    'A schema has the name of its table, without type and database.',
    function* ({ config, schema }) {
      const tableName = (config.tableName ?? '').replace(/_(OFFLINE|REALTIME)$/, '');
      const bareName = tableName.split('.').at(-1);
      const schemaName = schema?.schema.schemaName ?? '';
      if (
        tableName === '' ||
        schemaName === '' ||
        schemaName === tableName ||
        schemaName === bareName
      ) {
        return;
      }
      yield ['/tableName', `The table is ${tableName}, but its schema ${schemaName}.`];
    },
  ),
  warning(
    'UNRESOLVED_VARIABLE',
    'No value holds a variable such as ${NAME}: it is not replaced here, while Apache Pinot replaces it from its environment.',
    ({ config }) => variablesOf(config, ''),
  ),
  error('MEMBER_MISSING', 'Sections, if present, have the members that identify them.', (table) =>
    missingMembers(table, [
      '/task/taskTypeConfigsMap',
      '/segmentsConfig/completionConfig/completionMode',
      '/tableIndexConfig/segmentPartitionConfig/columnPartitionMap',
      '/tableIndexConfig/segmentPartitionConfig/columnPartitionMap/*/functionName',
      '/fieldConfigList/*/name',
      '/tunerConfigs/*/name',
    ]),
  ),
];

function* variablesOf(value: unknown, path: string): Generator<Fault> {
  if (typeof value === 'string') {
    const variable = /\$\{[A-Za-z_][^}]{0,100}\}/.exec(value)?.[0];
    if (variable !== undefined) {
      yield [path, `${variable} is not replaced: the text is used unchanged.`];
    }
    return;
  }
  if (path.split('/').length > 50) return;
  if (typeof value !== 'object' || value === null) return;
  for (const [inner, , member] of placedMembers<unknown>(path, { ...value })) {
    yield* variablesOf(member, inner);
  }
}
