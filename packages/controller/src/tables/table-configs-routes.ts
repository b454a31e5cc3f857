import { tableAdminOperations as operations } from '@quire/api';
import { isQuireError, type JsonValue, QuireError } from '@quire/core';
import {
  type Finding,
  parseTableName,
  type TableConfigDocument,
  type TableDescription,
  type TableEngine,
  type TableSchemaDocument,
  type TableType,
} from '@quire/core/table-engine';
import { KeyedQueue } from '@quire/core/wait';
import { principalOf, type RouteHandler, routeOf, signalOf } from '@quire/service';
import { assertNoErrors, checkTableConfigs, nestFindings } from '@quire/tables';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { objectBody } from '../object-body.ts';
import { assertSecretsKnown, readableConfig } from './hide-secrets.ts';
import {
  authorizeChange,
  bodyOf,
  halvesOf,
  pathOf,
  readHalves,
  sendJson,
  tablesOf,
} from './table-context.ts';
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
  // Changes of one table run sequentially: one that fails would undo what another has done.
  const changes = new KeyedQueue<string>();
  const read = async (request: FastifyRequest): Promise<readonly TableDescription[]> => {
    const signal = signalOf(request);
    const halves = await halvesOf(context.readTables, nameOf(request), undefined, signal);
    return readHalves(halves, ({ tableNameWithType }) =>
      context.readTables.readTable(tableNameWithType, { signal }),
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
      const findings = await changes.run(asked.tableName, async () => [
        ...(await assertValid(engine(), asked, [])),
        ...(await createAll(engine(), asked)),
      ]);
      return sendJson(
        reply,
        doneOf(findings, `TableConfigs ${asked.tableName} successfully added`),
      );
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
      const findings = await changes.run(asked.tableName, async () => {
        const before = await configsBefore(engine(), asked, signalOf(request));
        const found = await assertValid(engine(), asked, before);
        return [...found, ...(await updateAll(engine(), asked, before))];
      });
      return sendJson(reply, doneOf(findings, `TableConfigs updated for ${asked.tableName}`));
    }),
    route('deleteTableConfigs', async (request, reply) => {
      const name = nameOf(request);
      assertRawName(name);
      await changes.run(name, async () => {
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
      });
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

function doneOf(all: readonly Finding[], status: string): object {
  const findings = withoutDuplicates(all);
  return { unrecognizedProperties: {}, status, ...(findings.length > 0 && { findings }) };
}

/** Returns the member of `/tableConfigs` that has the config, as a JSON pointer. */
function pointerOf({ tableName }: TableConfigDocument): string {
  return parseTableName(tableName).type === 'REALTIME' ? '/realtime' : '/offline';
}

/**
 * Returns the configs of the halves that exist. One that is set aside is omitted if its config is
 * not replaced.
 *
 * @throws TABLE_NOT_FOUND when there is none; TABLE_DAMAGED when one to be replaced is set aside
 */
async function configsBefore(
  engine: TableEngine,
  { tableName, configs }: TableConfigs,
  signal: AbortSignal,
): Promise<readonly TableConfigDocument[]> {
  const before: TableConfigDocument[] = [];
  for (const { tableNameWithType } of await halvesOf(engine, tableName, undefined, signal)) {
    try {
      before.push((await engine.readTable(tableNameWithType, { signal })).config);
    } catch (error) {
      const isReplaced = configs.some((config) => config.tableName === tableNameWithType);
      if (isReplaced || !isQuireError(error, 'TABLE_DAMAGED', 'RECORD_DAMAGED')) throw error;
    }
  }
  return before;
}

/**
 * Checks all parts before any of them is written, so that their findings are reported together and
 * a refusal changes nothing. Returns the warnings and remarks.
 *
 * @throws TABLE_INVALID with all findings, under `/schema`, `/offline` and `/realtime`
 * @throws TENANT_NOT_FOUND, STREAM_INVALID
 */
async function assertValid(
  engine: TableEngine,
  { tableName, schema, configs }: TableConfigs,
  before: readonly TableConfigDocument[],
): Promise<readonly Finding[]> {
  const half = (type: string): TableConfigDocument | undefined =>
    configs.find((config) => parseTableName(config.tableName).type === type);
  const document = { tableName, schema, offline: half('OFFLINE'), realtime: half('REALTIME') };
  const { findings } = checkTableConfigs(document, { taskTypes: await engine.listTaskTypes() });
  // An engine relies on a valid schema.
  const isError = ({ path, severity }: Finding): boolean =>
    severity === 'error' && path.startsWith('/schema');
  if (findings.some(isError)) assertNoErrors(`Table ${tableName}`, findings);
  const all = [...findings];
  const refusals: unknown[] = [];
  for (const config of configs) {
    const otherConfig = [...configs, ...before].find(
      (other) => pointerOf(other) !== pointerOf(config),
    );
    try {
      const found = await engine.checkTable(config, { schema, otherConfig });
      all.push(...nestFindings(found, pointerOf(config)));
    } catch (error) {
      const refusal = belowPart(error, pointerOf(config));
      if (isQuireError(refusal, 'TABLE_INVALID')) all.push(...(refusal.findings ?? []));
      refusals.push(refusal);
    }
  }
  const valid = assertNoErrors(`Table ${tableName}`, withoutDuplicates(all));
  if (refusals.length > 0) throw refusals[0];
  return valid;
}

function withoutDuplicates(findings: readonly Finding[]): readonly Finding[] {
  return [
    ...new Map(
      findings.map((finding) => [
        JSON.stringify([finding.path, finding.code, finding.message]),
        finding,
      ]),
    ).values(),
  ];
}

/** Returns an error about a part, with the paths of its findings below its member. */
function belowPart(error: unknown, pointer: string): unknown {
  if (!isQuireError(error, 'TABLE_INVALID')) return error;
  const { code, message, adminHint, findings } = error;
  if (findings === undefined) return error;
  const nested = nestFindings(findings, pointer);
  return new QuireError(code, message, { cause: error, adminHint, findings: nested });
}

/** Creates all parts or none. */
function createAll(engine: TableEngine, asked: TableConfigs): Promise<readonly Finding[]> {
  return orUndo(async (undo) => {
    const { schema } = asked;
    await writeSchema(() => engine.createSchema(schema));
    undo.push(() => engine.deleteSchema(schema.schemaName));
    return await writeConfigs(engine, asked, [], undo);
  });
}

/**
 * Replaces all parts, and creates a half that does not exist. If an engine refuses a config that it
 * did not refuse when it was checked, the earlier configs are put back; columns that were added to
 * the schema remain, because no engine removes them.
 */
function updateAll(
  engine: TableEngine,
  asked: TableConfigs,
  before: readonly TableConfigDocument[],
): Promise<readonly Finding[]> {
  return orUndo(async (undo) => {
    // First, because it may be refused, and the configs may need its columns.
    await writeSchema(() => engine.updateSchema(asked.schema));
    return await writeConfigs(engine, asked, before, undo);
  });
}

type UndoSteps = (() => Promise<unknown>)[];

/**
 * Runs a change; if it fails, the steps that undo its parts, the latest first. A step that fails as
 * well does not stop the others, and does not hide the first error.
 */
async function orUndo<Result>(change: (undo: UndoSteps) => Promise<Result>): Promise<Result> {
  const undo: UndoSteps = [];
  try {
    return await change(undo);
  } catch (error) {
    const problems: string[] = [];
    for (const step of undo.toReversed()) {
      await step().catch((problem: unknown) => {
        problems.push(problem instanceof Error ? problem.message : String(problem));
      });
    }
    if (problems.length === 0 || !isQuireError(error)) throw error;
    throw new QuireError(error.code, `${error.message} Not all of it could be undone.`, {
      cause: error,
      findings: error.findings,
      adminHint: [error.adminHint, ...problems].filter((hint) => hint !== undefined).join(' '),
    });
  }
}

/** Writes the schema. @throws TABLE_INVALID with findings below `/schema` */
async function writeSchema(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw belowPart(error, '/schema');
  }
}

/** Returns the findings, below `/offline` and `/realtime`. */
async function writeConfigs(
  engine: TableEngine,
  { configs }: TableConfigs,
  before: readonly TableConfigDocument[],
  undo: UndoSteps,
): Promise<readonly Finding[]> {
  const all: Finding[] = [];
  for (const config of configs) {
    const earlier = before.find(({ tableName }) => tableName === config.tableName);
    try {
      const { findings } = await (earlier === undefined
        ? engine.createTable(config)
        : engine.updateTable(config));
      all.push(...nestFindings(findings, pointerOf(config)));
    } catch (error) {
      throw belowPart(error, pointerOf(config));
    }
    undo.push(() =>
      earlier === undefined ? engine.deleteTable(config.tableName) : engine.updateTable(earlier),
    );
  }
  return all;
}
