import { QuireError } from '@quire/core';
import { Cron } from 'croner';
import type { ServedTable } from '../served-table.ts';
import { taskOptionsOf } from './task-options.ts';
import { taskTypes } from './task-types.ts';

export interface DueTask {
  readonly taskType: string;
  readonly tableNameWithType: string;
}

/**
 * The tasks whose `schedule`, a cron expression in UTC, names a moment in `(sinceMs, nowMs]`.
 *
 * @param onInvalid told of expressions that cannot be read
 */
export function dueTasks(
  tables: readonly ServedTable[],
  { sinceMs, nowMs }: { readonly sinceMs: number; readonly nowMs: number },
  onInvalid: (error: QuireError) => void,
): readonly DueTask[] {
  return tables.flatMap((table) =>
    taskTypes.flatMap((taskType): DueTask[] => {
      const schedule = taskOptionsOf(table.record.config, taskType)?.['schedule'];
      if (schedule === undefined) return [];
      try {
        const next = new Cron(schedule, { timezone: 'UTC', paused: true }).nextRun(
          new Date(sinceMs),
        );
        return next !== null && next.getTime() <= nowMs
          ? [{ taskType, tableNameWithType: table.name }]
          : [];
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        onInvalid(
          new QuireError(
            'INVALID_SETTING',
            `${table.name}: the schedule ‘${schedule}’ of ${taskType} is not a cron expression: ${reason}`,
            { cause },
          ),
        );
        return [];
      }
    }),
  );
}
