import type { QuireAdminClient, RestreamResponse } from '@quire/client';
import type { Environment } from '../environment.ts';
import { stylesFor } from '../styles.ts';
import { destinationLag, hasEnded, renderStages, stagesOf } from './restream-progress.ts';

const pollEveryMs = 1000;

/**
 * Watches a job until it has ended: a bar for each stage on a terminal, a line for each new stage in a pipe, both on standard error.
 * Aborting ends the watch, not the job.
 */
export async function followRestream(
  client: QuireAdminClient,
  started: RestreamResponse,
  environment: Environment,
  signal: AbortSignal,
): Promise<RestreamResponse> {
  const { stderr, clock, variables } = environment;
  const styles = stylesFor(stderr, variables);
  let [job, lagAtStart, lineCount, said] = [started, 0, 0, ''];
  for (;;) {
    lagAtStart = Math.max(lagAtStart, destinationLag(job) ?? 0);
    if (stderr.isTerminal) {
      const lines = renderStages(stagesOf(job, lagAtStart), { styles, widthMax: stderr.size.columns });
      const home = lineCount === 0 ? '' : `\u001b[${lineCount}A\r\u001b[J`;
      await stderr.write(`${home}${lines.join('\n')}\n`);
      lineCount = lines.length;
    } else if (job.status !== said) {
      await stderr.write(`${job.status}\t${job.next}\n`);
      said = job.status;
    }
    if (hasEnded(job)) return job;
    await clock.sleep(pollEveryMs, signal);
    job = await client.readRestream(job.jobId, { signal });
  }
}
