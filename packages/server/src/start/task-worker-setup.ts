import type { Settings } from '@quire/settings';
import type { SubtaskJob } from '@quire/table-server';

/*
 * What passes between the table server and the processes that its tasks run in. It stands by itself, so that neither loads what the other
 * works with.
 */

/** A subtask, with the live settings as they were when it began. */
export interface TaskWork {
  readonly job: SubtaskJob;
  readonly sources: Settings['preview']['sources'];
  readonly rowBytesMax: number;
}

/** Called with a sentence about how far the work is. */
export const taskProgress = 'task progress';
