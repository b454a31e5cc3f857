import { tableAdminOperations as operations } from '@quire/api';
import { isQuireError, type JsonValue, QuireError } from '@quire/core';
import {
  parseTableName,
  type TableConfigDocument,
  type TableDescription,
  type TableEngine,
  type TableSchemaDocument,
  type TableType,
} from '@quire/core/table-engine';
import { principalOf, type RouteHandler, routeOf, signalOf } from '@quire/service';
import { assertNoErrors, checkTableConfigs } from '@quire/tables';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { objectBody } from '../object-body.ts';
import { assertSecretsKnown, readableConfig } from './hide-secrets.ts';
import { authorizeChange, bodyOf, halvesOf, pathOf, sendJson, tablesOf } from './table-context.ts';
import { assertUnused, documentOf, withTypedName } from './table-routes.ts';

/** The calls about the schema and the configs of a table together. */
export function tableConfigsRoutes(context: ControllerContext): readonly RouteOptions[] {
  const engine = (): TableEngine => tablesOf(context).engine;
  const nameOf = (request: FastifyRequest): string => pathOf(request)['tableName'] ?? '';
  const body = objectBody(
    context.options.bodyBytesMax,
    () => context.options.preview?.limits.digitsMax,
  );
  const route = (id: keyof typeof operations, handler: RouteHandler): RouteOptions =>
    routeOf(operations[id], handler, operations[id].schema.body === undefined ? undefined : body);
  const read = async (request: FastifyRequest): Promise<readonly TableDescription[]> => {
    const signal = signalOf(request);
    const halves = await halvesOf(context.readTables, nameOf(request), undefined, signal);
    return Promise.all(
      halves.map(({ tableNameWithType }) =>
        context.readTables.readTable(tableNameWithType, { signal }),
      ),
    );
  };
  return [
    route('listTableConfigs', async (request, reply) => {
      const tables = await context.readTables.listTables({ signal: signalOf(request) });
      return sendJson(reply, [
        ...new Set(
          tables.map(({ tableNameWithType }) => parseTableName(tableNameWithType).rawName),
        ),
      ]);
    }),
    route('readTableConfigs', async (request, reply) => {
      const halves = await read(request);
      const half = (type: string): JsonValue => {
        const found = halves.find((each) => each.type === type);
        return found === undefined ? null : readableConfig(found.config, principalOf(request));
      };
      return sendJson(reply, {
        tableName: parseTableName(nameOf(request)).rawName,
        schema: halves[0]?.schema ?? null,
        offline: half('OFFLINE'),
        realtime: half('REALTIME'),
      });
    }),
    route('createTableConfigs', async (request, reply) => {
      const asked = tableConfigsOf(request);
      authorizeChange(request, 'tables created', { table: asked.tableName });
      await assertValid(engine(), asked);
      const findings = await createAll(engine(), asked);
      const status = `TableConfigs ${asked.tableName} successfully added`;
      return sendJson(reply, {
        unrecognizedProperties: {},
        status,
        ...(findings.length > 0 && { findings }),
      });
    }),
    route('updateTableConfigs', async (request, reply) => {
      assertRawName(nameOf(request));
      const asked = tableConfigsOf(request);
      if (asked.tableName !== nameOf(request)) {
        throw new QuireError(
          'INVALID_BODY',
          `tableName is '${asked.tableName.slice(0, 100)}'; expected '${nameOf(request)}', as in the path.`,
        );
      }
      authorizeChange(request, 'tables replaced', { table: asked.tableName });
      await assertValid(engine(), asked);
      await updateAll(engine(), asked);
      return sendJson(reply, {
        unrecognizedProperties: {},
        status: `TableConfigs updated for ${asked.tableName}`,
      });
    }),
    route('deleteTableConfigs', async (request, reply) => {
      const name = nameOf(request);
      assertRawName(name);
      // Only their names are read, because halves that are set aside can be deleted.
      const halves = await halvesOf(context.readTables, name, undefined, signalOf(request));
      authorizeChange(request, 'tables deleted', { table: name });
      for (const { tableNameWithType } of halves) await assertUnused(context, tableNameWithType);
      for (const { tableNameWithType } of halves) await engine().deleteTable(tableNameWithType);
      try {
        await engine().deleteSchema(name);
      } catch (error) {
        // Its record may be what was missing.
        if (!isQuireError(error, 'SCHEMA_NOT_FOUND')) throw error;
      }
      return sendJson(reply, { status: `Deleted TableConfigs: ${name}` });
    }),
  ];
}

/**
 * Requires the name of a table without type, because the schema is changed together with both
 * halves. @throws INVALID_PARAMETER
 */
function assertRawName(name: string): void {
  const { rawName, type } = parseTableName(name);
  if (type === undefined) return;
  throw new QuireError(
    'INVALID_PARAMETER',
    `tableName is '${name.slice(0, 200)}', which names one half; expected '${rawName.slice(0, 200)}'. Single halves are changed under /tables.`,
  );
}

interface TableConfigs {
  readonly tableName: string;
  readonly schema: TableSchemaDocument;
  readonly configs: readonly TableConfigDocument[];
}

/**
 * @throws INVALID_BODY when a part or a secret is missing, a part is of the other type, or their
 *   names differ
 */
function tableConfigsOf(request: FastifyRequest): TableConfigs {
  const body = bodyOf(request);
  const { tableName } = documentOf<{ readonly tableName: string }>(body, 'tableName');
  const part = (member: string): Readonly<Record<string, JsonValue>> | undefined => {
    const value = body[member] ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, JsonValue>>;
    }
    throw new QuireError('INVALID_BODY', `${member} is not an object; expected a document.`);
  };
  const schema = part('schema');
  if (schema === undefined) {
    throw new QuireError('INVALID_BODY', 'schema is missing; expected the schema of the table.');
  }
  const halves = [
    ['offline', 'OFFLINE'],
    ['realtime', 'REALTIME'],
  ] as const;
  const configs = halves.flatMap(([member, type]) => {
    const config = part(member);
    if (config === undefined) return [];
    assertSecretsKnown(config);
    return [halfOf(config, member, type, tableName)];
  });
  if (configs.length === 0) {
    throw new QuireError(
      'INVALID_BODY',
      'offline and realtime are missing; expected at least one config.',
    );
  }
  const odd = configs.find((config) => parseTableName(config.tableName).rawName !== tableName);
  if (odd !== undefined) {
    throw new QuireError(
      'INVALID_BODY',
      `The config is for '${odd.tableName.slice(0, 100)}'; expected '${tableName.slice(0, 100)}', as tableName.`,
    );
  }
  return { tableName, schema: documentOf<TableSchemaDocument>(schema, 'schemaName'), configs };
}

/**
 * Returns the config of a half, whose name and type may be omitted. @throws INVALID_BODY when it is
 * the config of the other type
 */
function halfOf(
  given: Readonly<Record<string, JsonValue>>,
  member: string,
  type: TableType,
  tableName: string,
): TableConfigDocument {
  const named = documentOf<TableConfigDocument>({ tableName, ...given }, 'tableName');
  const tableType = given['tableType'] ?? parseTableName(named.tableName).type ?? type;
  const config = withTypedName({ ...named, tableType });
  const found = parseTableName(config.tableName).type;
  if (found === type) return config;
  throw new QuireError(
    'INVALID_BODY',
    `${member} is the config of a table of type ${found}; expected ${type}.`,
  );
}

/**
 * Checks all parts before any of them is created, so that their findings are reported together.
 *
 * @throws TABLE_INVALID with all findings, under `/schema`, `/offline` and `/realtime`
 */
async function assertValid(
  engine: TableEngine,
  { tableName, schema, configs }: TableConfigs,
): Promise<void> {
  const half = (type: string): TableConfigDocument | undefined =>
    configs.find((config) => parseTableName(config.tableName).type === type);
  const document = { tableName, schema, offline: half('OFFLINE'), realtime: half('REALTIME') };
  const { findings } = checkTableConfigs(document, { taskTypes: await engine.listTaskTypes() });
  assertNoErrors(`Table ${tableName}`, findings);
}

/** Creates all parts or none: earlier ones are deleted if a later one fails. */
async function createAll(
  engine: TableEngine,
  { schema, configs }: TableConfigs,
): Promise<readonly object[]> {
  await engine.createSchema(schema);
  const made: string[] = [];
  const findings: object[] = [];
  try {
    for (const config of configs) {
      const created = await engine.createTable(config);
      made.push(created.tableNameWithType);
      findings.push(...created.findings);
    }
    return findings;
  } catch (error) {
    for (const name of made.toReversed()) await engine.deleteTable(name);
    await engine.deleteSchema(schema.schemaName);
    throw error;
  }
}

async function updateAll(engine: TableEngine, { schema, configs }: TableConfigs): Promise<void> {
  await engine.updateSchema(schema);
  for (const config of configs) {
    try {
      await engine.updateTable(config);
    } catch (error) {
      if (!isQuireError(error, 'TABLE_NOT_FOUND')) throw error;
      await engine.createTable(config);
    }
  }
}
