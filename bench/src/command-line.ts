import { parseArgs } from 'node:util';

export interface CommandLine {
  readonly action: 'run' | 'publish' | 'help';
  /** Names of the parts to run; empty for all. */
  readonly partNames: readonly string[];
  readonly isQuick: boolean;
  readonly isProfiled: boolean;
}

export const usage = `npm run bench [-- [parts] [options]]

  no part               runs all of them, in less than ten minutes
  pages write encode memory sweep start proxy preview
                        run only these
  processor             the processor time of pages, which neighbours on the machine disturb least; runs only when named
  remote                pages from and writes to S3 over links of several kinds; runs only when named
  remote-large          a result of 5 GB, stored in S3 with a heap of 1 GB; takes 10 GB of disk, runs only when named
  pinot                 stores and pages on a real Apache Pinot, compared with the plain query and its own cursors; runs only when named
  scale                 the cost of ten million results for each part, in memory; takes 3 GB of memory, runs only when named
  publish               copies the last full run into bench/README.md and bench/charts

  --quick               a smoke run: tries everything, on little data; its figures are meaningless
  --profile             leaves CPU profiles of Quire's processes in bench/results/profiles
`;

/** @throws Error when there is no such option or part */
export function parseCommandLine(
  args: readonly string[],
  knownParts: readonly string[],
): CommandLine {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const isPublish = positionals[0] === 'publish' && positionals.length === 1;
  const unknown = isPublish ? undefined : positionals.find((name) => !knownParts.includes(name));
  if (unknown !== undefined) {
    throw new Error(`There is no part '${unknown}'; expected ${knownParts.join(', ')} or publish.`);
  }
  return {
    action: values.help ? 'help' : isPublish ? 'publish' : 'run',
    partNames: isPublish ? [] : positionals,
    isQuick: values.quick,
    isProfiled: values.profile,
  };
}
