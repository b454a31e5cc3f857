import type { TaskDebug } from '@quire/client';
import { type ReactNode, useState } from 'react';
import { counted } from '../format.ts';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { BreakableName } from '../widgets/breakable-name.tsx';
import { Choice } from '../widgets/choice.tsx';
import { type ListColumn, ListTable } from '../widgets/list-table.tsx';
import { Card, Page } from '../widgets/page.tsx';
import { Empty, Resolved } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { StateBadge } from './state-badge.tsx';

const everything = ['', 'all'] as const;

interface ListedTask {
  readonly name: string;
  readonly type: string;
  readonly tables: readonly string[];
  readonly record: TaskDebug;
}

/** All tasks, newest first, by type and table. */
export function TasksPage(): ReactNode {
  const { admin, role } = useSession();
  const { attempt } = useToasts();
  const [type, setType] = useState('');
  const [table, setTable] = useState('');
  const tasks = useResource(
    'tasks',
    async (signal) => {
      const types = await admin.listTaskTypes({ signal });
      const lists = await Promise.all(
        types.map(async (each) => listOf(each, await admin.listTasks(each, { signal }))),
      );
      return {
        types,
        tasks: lists
          .flat()
          .toSorted((one, other) =>
            (other.record.startTime ?? '').localeCompare(one.record.startTime ?? ''),
          ),
      };
    },
    { everyMs: 3000 },
  );
  const schedule = (taskType: string): void =>
    attempt(async () => {
      const { taskNames, skipped, errors } = await admin.scheduleTasks(taskType);
      tasks.reload();
      return [`${counted(taskNames.length, 'task')} created.`, ...skipped, ...errors].join(' ');
    });
  return (
    <Page
      title="Tasks"
      about="Background work on tables: files are loaded into segments, segments merged, real-time rows moved to the offline half."
    >
      <Resolved of={tasks} what="the tasks">
        {({ types, tasks: all }) => {
          const tables = [...new Set(all.flatMap((task) => task.tables))];
          const shown = all.filter(
            (task) =>
              (type === '' || task.type === type) && (table === '' || task.tables.includes(table)),
          );
          return (
            <>
              <div className="toolbar">
                <Choice
                  label="Type"
                  value={type}
                  options={[everything, ...types]}
                  onChange={setType}
                />
                <Choice
                  label="Table"
                  value={table}
                  options={[everything, ...tables]}
                  onChange={setTable}
                />
                {role === 'admin' && type !== '' && (
                  <button type="button" className="button push" onClick={() => schedule(type)}>
                    Create the tasks that table configs request
                  </button>
                )}
              </div>
              <Card title={counted(shown.length, 'task')} flush>
                <ListTable
                  items={shown}
                  columns={columns}
                  keyOf={({ name }) => name}
                  empty={
                    all.length > 0 ? (
                      <Empty title="No task has this type and table">
                        <p>{counted(all.length, 'task')} of others.</p>
                      </Empty>
                    ) : (
                      <Empty title="No table has requested a task yet">
                        <p>
                          A table requests tasks in its config. Choose a type to create those that
                          are due now.
                        </p>
                      </Empty>
                    )
                  }
                />
              </Card>
            </>
          );
        }}
      </Resolved>
    </Page>
  );
}

function listOf(type: string, records: ReadonlyMap<string, TaskDebug>): readonly ListedTask[] {
  return [...records].map(([name, record]) => ({
    name,
    type,
    tables: [...new Set((record.subtaskInfos ?? []).map(({ taskConfig }) => taskConfig.tableName))],
    record,
  }));
}

const columns: readonly ListColumn<ListedTask>[] = [
  {
    name: 'Task',
    className: 'value',
    cell: ({ name, type }) => (
      <>
        <a href={placeOf(['tasks', name])}>
          <BreakableName name={name} />
        </a>
        <div className="quiet">
          <BreakableName name={type} />
        </div>
      </>
    ),
  },
  { name: 'State', cell: ({ record: { taskState } }) => <StateBadge state={taskState} /> },
  {
    name: 'Subtasks',
    className: 'number-start',
    cell: ({ record: { subtaskCount } }) =>
      `${subtaskCount.completed} of ${subtaskCount.total} done${subtaskCount.error > 0 ? `, ${subtaskCount.error} failed` : ''}`,
  },
  { name: 'Created', cell: ({ record }) => record.startTime ?? '' },
  { name: 'Finished', cell: ({ record }) => record.finishTime ?? '' },
];
