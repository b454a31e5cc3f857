import { visibleText } from '@quire/core/portable';
import type { ReactNode } from 'react';
import { placeOf } from '../router.ts';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { BreakableName } from '../widgets/breakable-name.tsx';
import { JsonTree } from '../widgets/json-view.tsx';
import { Card, Fact, Page } from '../widgets/page.tsx';
import { Resolved } from '../widgets/states.tsx';
import { useToasts } from '../widgets/toasts.tsx';
import { StateBadge } from './state-badge.tsx';

/** One task: its debug record, subtask by subtask. */
export function TaskPage({ name }: { readonly name: string }): ReactNode {
  const { admin, role } = useSession();
  const { attempt } = useToasts();
  const task = useResource(
    `task ${name}`,
    (signal) => admin.readTask(name, { signal, verbosity: 1 }),
    { everyMs: 3000 },
  );
  const cancel = (): void =>
    attempt(async () => {
      await admin.cancelTask(name);
      task.reload();
      return 'The task was cancelled; everything that it created is removed.';
    });
  const isOver = task.value?.finishTime !== undefined;
  return (
    <Page
      title={
        <>
          <a href={placeOf(['tasks'])}>Tasks</a> / <BreakableName name={name} />
        </>
      }
      actions={
        role === 'admin' &&
        !isOver && (
          <button type="button" className="button danger" onClick={cancel}>
            Cancel
          </button>
        )
      }
    >
      <Resolved of={task} what="the task">
        {({ taskState, subtaskCount, subtaskInfos = [], ...times }) => (
          <>
            <Card title="Task">
              <dl className="facts">
                <Fact name="State" value={<StateBadge state={taskState} />} />
                {Object.entries(times).map(([member, value]) => (
                  <Fact key={member} name={factNames[member] ?? member} value={String(value)} />
                ))}
                <Fact
                  name="Subtasks"
                  value={Object.entries(subtaskCount)
                    .filter(([, count]) => count > 0)
                    .map(([state, count]) => `${count} ${state}`)
                    .join(', ')}
                />
              </dl>
            </Card>
            {subtaskInfos.map(({ taskId, state, info, taskConfig, ...others }) => (
              <Card
                key={taskId}
                title={
                  <>
                    <BreakableName name={taskId} /> <StateBadge state={state} />
                  </>
                }
              >
                {info !== undefined && <p className="info">{info}</p>}
                <dl className="facts">
                  {Object.entries(others).map(([member, value]) => (
                    <Fact
                      key={member}
                      name={factNames[member] ?? member}
                      value={shownFact(value)}
                    />
                  ))}
                </dl>
                <details className="disclosure">
                  <summary>Config of the subtask</summary>
                  <JsonTree value={taskConfig} />
                </details>
              </Card>
            ))}
          </>
        )}
      </Resolved>
    </Page>
  );
}

function shownFact(value: unknown): ReactNode {
  return typeof value === 'string' ? visibleText(value) : <JsonTree value={value} />;
}

const factNames: Readonly<Record<string, string>> = {
  startTime: 'Created',
  executionStartTime: 'Started',
  finishTime: 'Finished',
  triggeredBy: 'Triggered by',
  participant: 'Server',
};
