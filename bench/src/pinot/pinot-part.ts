import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type PinotAddress, PinotServer } from '../../../test/src/testkit/servers/pinot-server.ts';
import type { BenchContext, Part } from '../measure/part.ts';
import { repositoryRoot } from '../process/node-arguments.ts';
import { readFamilyPeak, readProcessMemory } from '../process/process-memory.ts';
import { QuireServer } from '../quire/quire-server.ts';
import { comparePages } from './compare-pages.ts';
import { compareStores } from './compare-stores.ts';
import { loadEvents } from './load-events.ts';

const heapMegabytes = 3_000;
const missingNote =
  'Apache Pinot is not installed here (.ci/run installs it where it is available).';

/**
 * Results over one table of a real Apache Pinot: the time of storing one compared with the bare
 * query, and its pages compared with those of the cluster's own cursors.
 */
export const pinotPart: Part = {
  name: 'pinot',
  title: "Results on Apache Pinot, compared with the plain query and Pinot's own cursors",
  isOnRequest: true,
  async run(context) {
    const { isQuick, scratch, progress } = context;
    const folder = process.env['QUIRE_PINOT'] ?? join(repositoryRoot, '.cache/pinot');
    if (!existsSync(join(folder, 'classes.jar'))) return { comparisons: [], notes: [missingNote] };
    const rowCounts = isQuick ? [10_000, 20_000] : [100_000, 1_000_000, 3_000_000];
    progress('starts Apache Pinot');
    await using pinot = await PinotServer.start(folder, {
      heapMb: heapMegabytes,
      isOptimizing: true,
    });
    progress('loads rows');
    await loadEvents(pinot.address, Math.max(...rowCounts));
    await using server = await startQuire(pinot.address, context, join(scratch, 'whole'));
    await using segmentServer = await startQuire(
      pinot.address,
      context,
      join(scratch, 'segments'),
      {
        'engine.pinot.paginated.limit': 'all',
        'engine.pinot.segments.enabled': 'true',
      },
    );
    const { residentBytes } = await readProcessMemory(server.pid);
    const stage = { pinot, server, segmentServer };
    const storedCounts = isQuick ? rowCounts : [1000, 10_000, 100_000, 1_000_000];
    const stores = await compareStores(context, stage, storedCounts);
    const pages = await comparePages(context, pinot.address, server, rowCounts);
    const peakBytes = await readFamilyPeak(server.pid);
    return {
      comparisons: [...pages.comparisons, ...stores.comparisons],
      notes: [
        `Apache Pinot 1.5.1 with a heap of ${heapMegabytes} MB, all roles in one process; jars that Maven lacks are built from source.`,
        'The plain query is the same SQL, whose answer is read to its end over HTTP and discarded.',
        `Quire's broker had ${megabytes(residentBytes)} MB resident when idle; with its query processes it had at most ${megabytes(peakBytes)} MB.`,
        ...stores.notes,
        ...pages.notes,
      ],
    };
  },
};

function startQuire(
  pinot: PinotAddress,
  { profileDirectory }: BenchContext,
  directory: string,
  more: Readonly<Record<string, string>> = {},
): Promise<QuireServer> {
  const settings = {
    'engine.kind': 'pinot',
    'engine.pinot.controller.url': pinot.controllerUrl,
    'engine.pinot.auth.token': pinot.authorization,
    ...more,
  };
  return QuireServer.start({ settings, directory, tables: {}, profileDirectory });
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
