import { visibleText } from '@quire/core/portable';
import type { ReactNode } from 'react';
import { counted, formatElapsed } from '../format.ts';
import { useResource } from '../use-resource.ts';
import { Resolved } from '../widgets/states.tsx';
import type { OpenResult, ResultPages } from './result-pages.ts';

/** The columns of a plan in engines; one that was executed has the last two as well. */
const planColumns = ['Operator', 'Operator_Id', 'Parent_Id', 'Rows', 'Time_Ms'];

interface PlanStep {
  readonly operator: string;
  readonly id: string;
  readonly parent: string;
  readonly rows: number | undefined;
  readonly timeMs: number | undefined;
}

/** Reports whether the rows of a result are the steps of a plan. */
export function isPlanResult({ columns }: Pick<OpenResult, 'columns'>): boolean {
  return (
    columns.length >= 3 &&
    columns.length <= planColumns.length &&
    columns.every(({ name }, index) => name === planColumns[index])
  );
}

/** The steps of a plan as a tree, each above its inputs. */
export function PlanView({ pages }: { readonly pages: ResultPages }): ReactNode {
  const { requestId, totalRowCount } = pages.result;
  const steps = useResource(`plan ${requestId}`, async (signal) => {
    await pages.load(0, totalRowCount, signal, { atOnce: true });
    return Array.from({ length: totalRowCount }, (_none, row) => stepAt(pages, row));
  });
  return (
    <div className="plan" tabIndex={0} role="region" aria-label="Plan">
      <Resolved of={steps} what="the plan">
        {(list) => {
          const longestMs = Math.max(...list.map(({ timeMs = 0 }) => timeMs), 0);
          return <Steps all={list} parent={undefined} longestMs={longestMs} />;
        }}
      </Resolved>
    </div>
  );
}

function Steps({
  all,
  parent,
  longestMs,
}: {
  readonly all: readonly PlanStep[];
  readonly parent: PlanStep | undefined;
  readonly longestMs: number;
}): ReactNode {
  const ids = new Set(all.map(({ id }) => id));
  const steps = all.filter(({ id, parent: fed }) =>
    parent === undefined ? fed === id || !ids.has(fed) : fed === parent.id && id !== parent.id,
  );
  if (steps.length === 0) return null;
  return (
    <ul>
      {steps.map((step) => (
        <li key={step.id}>
          <code>{visibleText(step.operator)}</code>
          {step.timeMs !== undefined && (
            <span className="quiet number">
              <meter
                value={step.timeMs}
                max={Math.max(longestMs, 0.001)}
                aria-label="Share of the longest step"
              />
              {step.timeMs < 1 ? `${step.timeMs.toFixed(2)} ms` : formatElapsed(step.timeMs)}
              {step.rows !== undefined && ` · ${counted(step.rows, 'row')}`}
            </span>
          )}
          <Steps all={all} parent={step} longestMs={longestMs} />
        </li>
      ))}
    </ul>
  );
}

function stepAt(pages: ResultPages, row: number): PlanStep {
  const textAt = (column: number): string => pages.textAt(row, column) ?? '';
  const numberAt = (column: number): number | undefined =>
    column < pages.result.columns.length ? Number(textAt(column)) : undefined;
  return {
    operator: textAt(0),
    id: textAt(1),
    parent: textAt(2),
    rows: numberAt(3),
    timeMs: numberAt(4),
  };
}
