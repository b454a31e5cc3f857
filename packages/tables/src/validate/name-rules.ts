import { type Fault, placedMembers, rulesAbout } from './rule.ts';
import { missingMembers } from './values-at.ts';

const { error, warning } = rulesAbout('names');

/** Rules about the name of a table, and about placeholders. */
export const nameRules = [
  error('TABLE_NAME_MISSING', 'A table must have a name.', function* ({ config }) {
    if ((config.tableName ?? '').trim() === '') {
      yield ['/tableName', 'The tableName is missing or empty.'];
    }
  }),
  error('TABLE_NAME_SPACE', 'Table names must not contain white space.', function* ({ config }) {
    if (/\s/.test((config.tableName ?? '').trim())) {
      yield ['/tableName', `The table name ‘${config.tableName}’ contains white space.`];
    }
  }),
  error(
    'TABLE_NAME_DOTS',
    'Table names must contain at most one dot, as in database.table.',
    function* ({ config }) {
      if ((config.tableName ?? '').split('.').length > 2) {
        yield [
          '/tableName',
          `The table name ${config.tableName} contains more than one dot; expected database.table.`,
        ];
      }
    },
  ),
  error(
    'TABLE_NAME_UNDERSCORES',
    'Table names must not contain two consecutive underscores.',
    function* ({ config }) {
      if (config.tableName?.includes('__') === true) {
        yield [
          '/tableName',
          `The table name ${config.tableName} contains ‘__’, the separator in segment names.`,
        ];
      }
    },
  ),
  error(
    'TABLE_NAME_TYPE',
    'The suffix _OFFLINE or _REALTIME of a table name must match the tableType.',
    function* ({ config }) {
      const suffix = /_(OFFLINE|REALTIME)$/.exec(config.tableName ?? '')?.[1];
      if (suffix !== undefined && suffix !== (config.tableType ?? 'OFFLINE')) {
        yield [
          '/tableName',
          `The table name ${config.tableName} ends in _${suffix}, but the tableType is ${config.tableType ?? 'OFFLINE'}.`,
        ];
      }
    },
  ),
  error(
    'SCHEMA_NAME_MISMATCH',
    'A schema must have the name of its table, without the type suffix.',
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
      yield [
        '/tableName',
        `The table is named ${tableName}, but its schema is named ${schemaName}.`,
      ];
    },
  ),
  warning(
    'UNRESOLVED_VARIABLE',
    'Values should not contain variables such as ${NAME}: Apache Pinot replaces them from its environment, but this server does not.',
    ({ config }) => variablesOf(config, ''),
  ),
  error(
    'MEMBER_MISSING',
    'Sections, if present, must have the members that identify them.',
    (table) =>
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
      yield [path, `The variable ${variable} is not replaced: the text is used unchanged.`];
    }
    return;
  }
  if (path.split('/').length > 50) return;
  if (typeof value !== 'object' || value === null) return;
  for (const [inner, , member] of placedMembers<unknown>(path, { ...value })) {
    yield* variablesOf(member, inner);
  }
}
