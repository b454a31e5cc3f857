import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A program that runs for a second does not need optimized code, nor several threads for it. */
const shortRun = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];
/** Arrow's memory requires it. */
const openedPackages = ['--add-opens=java.base/java.nio=ALL-UNNAMED'];

/** Runs a program of Java from its source, and returns the lines that it prints. */
export async function runJava(
  classPath: string,
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const options = [...shortRun, ...openedPackages, '-cp', classPath];
  const env = { ...process.env, ...variables };
  const { stdout } = await run('java', [...options, program, ...args], { env });
  return stdout.trimEnd().split('\n');
}
