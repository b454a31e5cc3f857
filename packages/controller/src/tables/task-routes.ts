import { parseInt32Parameter, taskOperations as operations } from '@quire/api';
import type { Principal } from '@quire/auth';
import { isQuireError, type JsonValue, QuireError } from '@quire/core';
import type { SubtaskRecord, TableEngine, TaskRecord } from '@quire/core/table-engine';
import { principalOf, type RouteHandler, routeOf, signalOf } from '@quire/service';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { ControllerContext } from '../controller-context.ts';
import { objectBody } from '../object-body.ts';
import { assertSecretsKnown, readableConfig } from './hide-secrets.ts';
import {
  authorizeChange,
  bodyOf,
  parameterOf,
  pathOf,
  sendJson,
  tablesOf,
} from './table-context.ts';
import { countSubtasks, debugOf, taskConfigOf } from './task-debug.ts';

type Handlers = Readonly<Record<keyof typeof operations, RouteHandler>>;

/** The calls about tasks (SPECIFICATION.md section 4.2; TABLES.md section 4). */
export function taskRoutes(context: ControllerContext): readonly RouteOptions[] {
  const engine = (): TableEngine => tablesOf(context).engine;
  const taskOf = (request: FastifyRequest): Promise<TaskRecord> => {
    const options = { signal: signalOf(request) };
    return withTaskName(engine(), pathOf(request)['taskName'] ?? '', options, (taskName) =>
      engine().readTask(taskName, options),
    );
  };
  const tasksOf = (request: FastifyRequest): Promise<readonly TaskRecord[]> =>
    engine().listTasks(
      { taskType: typeOf(request), tableNameWithType: pathOf(request)['tableName'] },
      { signal: signalOf(request) },
    );
  /** Answers with a member for each task of a type, by its name. */
  const byTask =
    (of: (task: TaskRecord, request: FastifyRequest) => unknown): RouteHandler =>
    async (request, reply) =>
      sendJson(
        reply,
        Object.fromEntries(
          (await tasksOf(request)).map((task) => [task.taskName, of(task, request)]),
        ),
      );
  const bySubtask =
    (of: (subtask: SubtaskRecord, principal: Principal) => string): RouteHandler =>
    async (request, reply) =>
      sendJson(
        reply,
        Object.fromEntries(
          (await taskOf(request)).subtasks.map((each) => [
            each.subtaskId,
            of(each, principalOf(request)),
          ]),
        ),
      );
  const debugByTask: RouteHandler = async (request, reply) => {
    const verbosity = verbosityOf(request);
    const principal = principalOf(request);
    return byTask((task) => readableConfig(debugOf(task, verbosity), principal))(request, reply);
  };
  const handlers: Handlers = {
    readTaskDebug: async (request, reply) => {
      const verbosity = verbosityOf(request);
      return sendJson(
        reply,
        readableConfig(debugOf(await taskOf(request), verbosity), principalOf(request)),
      );
    },
    listTaskTypes: async (request, reply) =>
      sendJson(reply, await engine().listTaskTypes({ signal: signalOf(request) })),
    listTasks: async (request, reply) =>
      sendJson(
        reply,
        (await tasksOf(request)).map(({ taskName }) => taskName),
      ),
    readTaskQueue: async (request, reply) => {
      const state = await engine().readTaskQueue(typeOf(request), { signal: signalOf(request) });
      return sendJson(reply, state === 'STOPPED' ? 'STOPPED' : 'IN_PROGRESS');
    },
    listTaskStates: byTask(({ state }) => state),
    countTasks: byTask(({ subtasks }) => countSubtasks(subtasks)),
    readTypeDebug: debugByTask,
    readTableTaskDebug: debugByTask,
    readTableTaskStates: byTask(({ state }) => state),
    readTaskState: async (request, reply) => sendJson(reply, (await taskOf(request)).state),
    readTaskConfigs: async (request, reply) => {
      const task = await taskOf(request);
      return sendJson(
        reply,
        task.subtasks.map((subtask) =>
          readableConfig(taskConfigOf(task, subtask), principalOf(request)),
        ),
      );
    },
    readSubtaskStates: bySubtask(({ state }) => state),
    listSubtasks: bySubtask(({ state }) => state),
    readSubtaskProgress: bySubtask(
      ({ state, progress, info }, principal) =>
        readableConfig({ text: progress ?? info ?? state }, principal).text,
    ),
    ...changeHandlers(engine),
  };
  const body = objectBody(context.options.bodyBytesMax, () => undefined);
  return Object.entries(handlers).map(([id, handler]) =>
    routeOf(
      operations[id as keyof typeof operations],
      handler,
      id === 'executeTask' ? body : undefined,
    ),
  );
}

function typeOf(request: FastifyRequest): string {
  return pathOf(request)['taskType'] ?? '';
}

/** Handlers of calls that change tasks, for admins. */
function changeHandlers(
  engine: () => TableEngine,
): Pick<Handlers, 'scheduleTasks' | 'executeTask' | 'stopTasks' | 'resumeTasks' | 'cancelTask'> {
  return {
    scheduleTasks: async (request, reply) => {
      const [taskType, tableNameWithType] = [
        parameterOf(request, 'taskType'),
        parameterOf(request, 'tableName'),
      ];
      authorizeChange(request, 'tasks scheduled', { taskType, table: tableNameWithType });
      return sendJson(reply, await schedule(engine(), taskType, tableNameWithType));
    },
    executeTask: async (request, reply) => {
      const asked = taskRequestOf(request);
      authorizeChange(request, 'task executed', {
        taskType: asked.taskType,
        table: asked.tableNameWithType,
      });
      const { taskName, tableNameWithType } = await engine().executeTask(asked);
      return sendJson(reply, { [tableNameWithType]: taskName });
    },
    stopTasks: async (request, reply) => {
      authorizeChange(request, 'tasks stopped', { taskType: typeOf(request) });
      await engine().stopTaskQueue(typeOf(request));
      return sendJson(reply, {
        status: `Successfully stopped tasks for task type: ${typeOf(request)}`,
      });
    },
    resumeTasks: async (request, reply) => {
      authorizeChange(request, 'tasks resumed', { taskType: typeOf(request) });
      await engine().resumeTaskQueue(typeOf(request));
      return sendJson(reply, {
        status: `Successfully resumed tasks for task type: ${typeOf(request)}`,
      });
    },
    cancelTask: async (request, reply) => {
      const taskName = pathOf(request)['taskName'] ?? '';
      authorizeChange(request, 'task cancelled', { taskName });
      await withTaskName(engine(), taskName, { signal: signalOf(request) }, (name) =>
        engine().cancelTask(name),
      );
      return sendJson(reply, { status: `Successfully deleted task: ${taskName}` });
    },
  };
}

/**
 * Calls an engine with the name of a task. If no task has this name, it may be the name that the
 * caller of `executeTask` chose. The engine then has the task as `Task_<type>_<name>`.
 *
 * @throws CONFLICT when tasks of several types have that name
 */
async function withTaskName<Answer>(
  engine: TableEngine,
  taskName: string,
  options: { readonly signal: AbortSignal },
  call: (taskName: string) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call(taskName);
  } catch (error) {
    if (!isQuireError(error, 'TASK_NOT_FOUND')) throw error;
    const names: string[] = [];
    for (const taskType of await engine.listTaskTypes(options)) {
      const name = `Task_${taskType}_${taskName}`;
      const tasks = await engine.listTasks({ taskType }, options);
      if (tasks.some((task) => task.taskName === name)) names.push(name);
    }
    const [name, ...others] = names;
    if (name === undefined) throw error;
    if (others.length === 0) return call(name);
    throw new QuireError(
      'CONFLICT',
      `There are ${names.length} tasks of the name '${taskName}'; give one of ${names.join(', ')}.`,
    );
  }
}

/** @throws INVALID_PARAMETER unless it is an integer of at least 0 */
function verbosityOf(request: FastifyRequest): number {
  return parseInt32Parameter('verbosity', parameterOf(request, 'verbosity')) ?? 0;
}

/**
 * Schedules tasks and answers like Apache Pinot's controller: names of the tasks by type, separated
 * by commas, and errors as texts.
 */
async function schedule(
  engine: TableEngine,
  taskType: string | undefined,
  tableNameWithType: string | undefined,
): Promise<object> {
  const { scheduled, skipped, errors } = await engine.scheduleTasks({
    taskType,
    tableNameWithType,
  });
  const names: Record<string, string> = {};
  for (const task of scheduled) {
    const others = names[task.taskType];
    names[task.taskType] = others === undefined ? task.taskName : `${others},${task.taskName}`;
  }
  const errorLines = errors.map(
    (error) => `${error.taskType} for ${error.tableNameWithType}: ${error.message}`,
  );
  return { ...names, generationErrors: errorLines.join('\n'), schedulingErrors: '', skipped };
}

/** @throws INVALID_BODY when a member is missing or of another type, or a secret is missing */
function taskRequestOf(request: FastifyRequest): Parameters<TableEngine['executeTask']>[0] {
  const { taskType, tableName, taskName, taskConfigs = {} } = bodyOf(request);
  const text = (member: string, value: JsonValue | undefined): string => {
    if (typeof value === 'string' && value !== '') return value;
    throw new QuireError(
      'INVALID_BODY',
      `${member} is ${value === undefined ? 'missing' : 'not a text'}; expected a text.`,
    );
  };
  if (typeof taskConfigs !== 'object' || taskConfigs === null || Array.isArray(taskConfigs)) {
    throw new QuireError(
      'INVALID_BODY',
      'taskConfigs is not an object; expected an object of configs.',
    );
  }
  assertSecretsKnown(taskConfigs);
  return {
    taskType: text('taskType', taskType),
    tableNameWithType: text('tableName', tableName),
    taskName: taskName === undefined || taskName === null ? undefined : text('taskName', taskName),
    configs: taskConfigs as Readonly<Record<string, JsonValue>>,
  };
}
