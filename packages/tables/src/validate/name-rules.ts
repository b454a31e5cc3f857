import { isRecord } from '../model/document.ts';
import { pointerTo } from '../finding.ts';
import type { Fault, TableRule } from './rule.ts';

/** Rules about the name of a table, and about what stands for something else. */
export const nameRules: readonly TableRule[] = [
  {
    code: 'TABLE_NAME_MISSING',
    subject: 'names',
    severity: 'error',
    description: 'A table has a name.',
    *check({ config }) {
      if ((config.tableName ?? '').trim() === '') yield { path: '/tableName', message: 'The table has no name.' };
    },
  },
  {
    code: 'TABLE_NAME_SPACE',
    subject: 'names',
    severity: 'error',
    description: 'Names of tables have no white space.',
    *check({ config }) {
      if (/\s/.test((config.tableName ?? '').trim())) {
        yield { path: '/tableName', message: `The name ‘${config.tableName}’ has white space in it.` };
      }
    },
  },
  {
    code: 'TABLE_NAME_DOTS',
    subject: 'names',
    severity: 'error',
    description: 'Names of tables have at most one dot: database.table.',
    *check({ config }) {
      if ((config.tableName ?? '').split('.').length > 2) {
        yield { path: '/tableName', message: `The name ${config.tableName} has more than one dot; expected database.table.` };
      }
    },
  },
  {
    code: 'TABLE_NAME_TYPE',
    subject: 'names',
    severity: 'error',
    description: 'The ending of a name, _OFFLINE or _REALTIME, agrees with the type of the table.',
    *check({ config }) {
      const suffix = /_(OFFLINE|REALTIME)$/.exec(config.tableName ?? '')?.[1];
      if (suffix !== undefined && suffix !== (config.tableType ?? 'OFFLINE')) {
        yield {
          path: '/tableName',
          message: `${config.tableName} is ${config.tableType ?? 'OFFLINE'}, but its name ends in _${suffix}.`,
        };
      }
    },
  },
  {
    code: 'SCHEMA_NAME_MISMATCH',
    subject: 'names',
    severity: 'error',
    description: 'A schema has the name of its table, without type and database.',
    *check({ config, schema }) {
      const tableName = (config.tableName ?? '').replace(/_(OFFLINE|REALTIME)$/, '');
      const bareName = tableName.split('.').at(-1);
      const schemaName = schema?.schema.schemaName ?? '';
      if (tableName === '' || schemaName === '' || schemaName === tableName || schemaName === bareName) return;
      yield { path: '/tableName', message: `The table is ${tableName}, but its schema ${schemaName}.` };
    },
  },
  {
    code: 'UNRESOLVED_VARIABLE',
    subject: 'names',
    severity: 'error',
    description: 'No value holds a variable such as ${NAME}: nothing replaces it.',
    check: ({ config }) => variablesOf(config, ''),
  },
];

function* variablesOf(value: unknown, path: string): Generator<Fault> {
  if (typeof value === 'string') {
    const variable = /\$\{[A-Za-z_][^}]{0,100}\}/.exec(value)?.[0];
    if (variable !== undefined) yield { path, message: `Nothing replaces ${variable}.` };
    return;
  }
  if (path.split('/').length > 50) return;
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* variablesOf(element, pointerTo(path, index));
  } else if (isRecord(value)) {
    for (const [name, member] of Object.entries(value)) yield* variablesOf(member, pointerTo(path, name));
  }
}
