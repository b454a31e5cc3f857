import { isQuireError } from '@quire/core';
import { parseCommandLine, usage } from './command-line.ts';
import { renderReport } from './render-report.ts';
import { runBench } from './run-bench.ts';

/** Runs the command with the arguments of the process. */
export async function main(): Promise<void> {
  const { argv, stdout, stderr } = process;
  try {
    const command = parseCommandLine(argv.slice(2));
    if (command === undefined) {
      stdout.write(usage);
      return;
    }
    const show = (what: string): void => {
      if (stderr.isTTY) stderr.write(`\u001b[2K\r${what.slice(0, 100)}`);
    };
    const report = await runBench({ ...command, onProgress: show });
    show('');
    stdout.write(
      command.isJson ? `${JSON.stringify(report, undefined, 2)}\n` : renderReport(report),
    );
  } catch (error) {
    if (!isQuireError(error)) throw error;
    stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
