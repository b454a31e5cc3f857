import { expect, vi } from 'vitest';
import type { TaskRecord } from '../table-engine/index.ts';
import { type CaseContext, casesOf } from './conformance-case.ts';
import { codeOf, offline, patience, schema, startMs, untilCounted } from './table-documents.ts';
import type {
  OpenTableEngineFixture,
  TableEngineCase,
  TableEngineFixture,
} from './table-engine-fixture.ts';

const taskType = 'SegmentGenerationAndPushTask';

/** Tasks that load files; every engine supports these. */
export const taskCases: readonly TableEngineCase[] = casesOf<OpenTableEngineFixture>(
  'tasks',
  (test) => {
    /** Creates a table whose tasks load files from an empty directory. */
    const openLoading = async (open: OpenTableEngineFixture): Promise<TableEngineFixture> => {
      const fixture = await open();
      await fixture.engine.createSchema(schema);
      const batchConfigMaps = [
        {
          inputDirURI: filesOf(fixture).directoryUri,
          includeFileNamePattern: 'glob:**/*.csv',
          inputFormat: 'csv',
        },
      ];
      await fixture.engine.createTable({
        ...offline,
        ingestionConfig: {
          batchIngestionConfig: {
            segmentIngestionType: 'APPEND',
            segmentIngestionFrequency: 'DAILY',
            batchConfigMaps,
          },
        },
        task: { taskTypeConfigsMap: { [taskType]: { maxAttemptsPerTask: '1' } } },
      });
      return fixture;
    };
    const table = { taskType, tableNameWithType: 'visits_OFFLINE' };
    const schedule = async ({ engine }: TableEngineFixture): Promise<string> => {
      const { scheduled, skipped, errors } = await engine.scheduleTasks(table);
      expect({ scheduled, skipped, errors }).toMatchObject({
        scheduled: [{ ...table }],
        skipped: [],
        errors: [],
      });
      return scheduled[0]?.taskName ?? '';
    };
    const ended = (
      { engine }: TableEngineFixture,
      taskName: string,
      context: CaseContext,
    ): Promise<TaskRecord> =>
      vi.waitFor(async () => {
        const task = await engine.readTask(taskName);
        expect(task.finishedMs).not.toBeNull();
        return task;
      }, patience(context));
    const fileOf = (rows: readonly string[]): string =>
      ['page,n,ts', ...rows].map((row) => `${row}\n`).join('');

    test('are scheduled when there is work, run, and are listed and read with their subtasks', async (open, context) => {
      await using fixture = await openLoading(open);
      const { engine } = fixture;
      expect(await engine.listTaskTypes()).toContain(taskType);
      const idle = await engine.scheduleTasks(table);
      expect(idle).toMatchObject({
        scheduled: [],
        skipped: [{ ...table, reason: expect.any(String) }],
        errors: [],
      });
      await filesOf(fixture).write('a.csv', fileOf([`home,1,${startMs}`, `home,2,${startMs}`]));
      await filesOf(fixture).write('b.csv', fileOf([`home,3,${startMs}`]));
      const taskName = await schedule(fixture);
      const task = await ended(fixture, taskName, context);
      expect(task).toMatchObject({
        ...table,
        taskName,
        state: 'COMPLETED',
        trigger: 'MANUAL_TRIGGER',
      });
      expect(task.subtasks.map(({ state, subtaskId }) => [state, subtaskId])).toEqual([
        ['COMPLETED', `${taskName}_0`],
        ['COMPLETED', `${taskName}_1`],
      ]);
      expect((await engine.listTasks(table)).map((each) => each.taskName)).toEqual([taskName]);
      await untilCounted(fixture, 3, context);
      expect((await engine.scheduleTasks(table)).scheduled).toEqual([]);
    });

    test('that fail give the reason, leave nothing behind, and can be run again', async (open, context) => {
      await using fixture = await openLoading(open);
      await filesOf(fixture).write('a.csv', fileOf([`home,1,${startMs}`]));
      await filesOf(fixture).write('b.csv', fileOf([`home,many,${startMs}`]));
      const { state, subtasks } = await ended(fixture, await schedule(fixture), context);
      expect([state, subtasks[1]?.state, subtasks[1]?.info]).toEqual([
        'FAILED',
        'TASK_ERROR',
        expect.stringContaining('many'),
      ]);
      expect(await fixture.engine.listSegments('visits_OFFLINE')).toEqual([]);
      await filesOf(fixture).write('b.csv', fileOf([`home,2,${startMs}`]));
      expect((await ended(fixture, await schedule(fixture), context)).state).toBe('COMPLETED');
      await untilCounted(fixture, 2, context);
    });

    test('are created from a config of their own, under a unique name', async (open, context) => {
      await using fixture = await openLoading(open);
      const { engine } = fixture;
      await filesOf(fixture).write('a.csv', fileOf([`home,1,${startMs}`]));
      const configs = {
        inputDirURI: filesOf(fixture).directoryUri,
        includeFileNamePattern: 'glob:a.csv',
        inputFormat: 'csv',
      };
      const { taskName } = await engine.executeTask({ ...table, taskName: 'own', configs });
      expect(taskName).toBe(`Task_${taskType}_own`);
      expect(await ended(fixture, taskName, context)).toMatchObject({
        state: 'COMPLETED',
        trigger: 'ADHOC_TRIGGER',
      });
      expect(await codeOf(engine.executeTask({ ...table, taskName: 'own', configs }))).toBe(
        'TASK_EXISTS',
      );
      const nothing = { ...configs, includeFileNamePattern: 'glob:none.csv' };
      expect(await codeOf(engine.executeTask({ ...table, configs: nothing }))).toBe(
        'TABLE_INVALID',
      );
    });

    test('wait while their queue is stopped, and can be cancelled unless they have finished', async (open, context) => {
      await using fixture = await openLoading(open);
      const { engine } = fixture;
      await filesOf(fixture).write('a.csv', fileOf([`home,1,${startMs}`]));
      await engine.stopTaskQueue(taskType);
      expect(await engine.readTaskQueue(taskType)).toBe('STOPPED');
      const waiting = await schedule(fixture);
      expect((await engine.readTask(waiting)).finishedMs).toBeNull();
      await engine.cancelTask(waiting);
      expect(await ended(fixture, waiting, context)).toMatchObject({ state: 'ABORTED' });
      expect(await codeOf(engine.cancelTask(waiting))).toBe('CONFLICT');
      const later = await schedule(fixture);
      await engine.resumeTaskQueue(taskType);
      expect(await engine.readTaskQueue(taskType)).toBe('RUNNING');
      expect((await ended(fixture, later, context)).state).toBe('COMPLETED');
      expect((await engine.listTasks(table)).map(({ taskName }) => taskName)).toEqual([
        later,
        waiting,
      ]);
      await untilCounted(fixture, 1, context);
    });

    test('require existing types, tables and names', async (open) => {
      await using fixture = await open();
      const { engine } = fixture;
      const type = { taskType: 'NoSuchTask' };
      expect(await codeOf(engine.scheduleTasks(type))).toBe('TASK_TYPE_NOT_FOUND');
      expect(await codeOf(engine.scheduleTasks(table))).toBe('TABLE_NOT_FOUND');
      expect(await codeOf(engine.executeTask({ ...table, ...type, configs: {} }))).toBe(
        'TASK_TYPE_NOT_FOUND',
      );
      expect(await codeOf(engine.executeTask({ ...table, configs: {} }))).toBe('TABLE_NOT_FOUND');
      expect(await codeOf(engine.listTasks(type))).toBe('TASK_TYPE_NOT_FOUND');
      expect(await codeOf(engine.readTaskQueue('NoSuchTask'))).toBe('TASK_TYPE_NOT_FOUND');
      expect(await codeOf(engine.stopTaskQueue('NoSuchTask'))).toBe('TASK_TYPE_NOT_FOUND');
      expect(await codeOf(engine.readTask(`Task_${taskType}_none`))).toBe('TASK_NOT_FOUND');
      expect(await codeOf(engine.cancelTask(`Task_${taskType}_none`))).toBe('TASK_NOT_FOUND');
    });
  },
);

function filesOf({ files }: TableEngineFixture): NonNullable<TableEngineFixture['files']> {
  if (files === undefined) throw new Error('The fixture has no directory for files.');
  return files;
}
