import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseCommandLine, usage } from './command-line.ts';
import { parts } from './parts.ts';
import { Progress } from './report/progress.ts';
import { publish, writeCharts } from './report/publish.ts';
import { renderGoals, renderPart } from './report/render-text.ts';
import { readLastFullReport, resultsDirectory, writeReport } from './report/result-files.ts';
import { runParts } from './run-parts.ts';

const names = parts.map(({ name }) => name);
const { action, partNames, isQuick, isProfiled } = parseCommandLine(process.argv.slice(2), names);

if (action === 'help') {
  process.stdout.write(usage);
} else if (action === 'publish') {
  const report = await readLastFullReport();
  if (report === undefined) {
    throw new Error('There is no full run to publish: npm run bench creates one.');
  }
  await publish(report);
  process.stdout.write(`Published the run of ${report.startedAt}.\n`);
} else {
  await run();
}

async function run(): Promise<void> {
  const progress = new Progress(process.stderr);
  const profileDirectory = isProfiled ? join(resultsDirectory, 'profiles') : undefined;
  if (profileDirectory !== undefined) await mkdir(profileDirectory, { recursive: true });
  const usual = parts.filter(({ isOnRequest }) => isQuick || isOnRequest !== true);
  const chosen =
    partNames.length === 0 ? usual : parts.filter(({ name }) => partNames.includes(name));
  const report = await runParts(chosen, {
    isQuick,
    profileDirectory,
    progress: (what) => progress.show(what),
    onPart(part) {
      progress.clear();
      process.stdout.write(renderPart(part));
    },
  });
  process.stdout.write(renderGoals(report));
  const path = await writeReport(report, partNames.length === 0);
  await writeCharts(report, resultsDirectory);
  process.stdout.write(`\nSaved in ${relative(process.cwd(), path)}\n`);
}
