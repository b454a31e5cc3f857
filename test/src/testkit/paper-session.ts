import manifest from '../../../package.json' with { type: 'json' };
import { shell } from './cli-process.ts';

/**
 * Runs `npm run -s quire --` as npm would, without npm, whose start takes longer than most commands
 * of papers. The test of the quickstart runs printed commands with npm.
 */
const withoutNpm = `npm() {
  if [ "$1 $2 $3 $4" = 'run -s quire --' ]; then
    shift 4
    ${manifest.scripts.quire.replace(/^node /, `'${process.execPath}' `)} "$@"
  else
    command npm "$@"
  fi
}`;

/** A command that a paper prints, with the output that it prints below. */
export interface PaperStep {
  readonly command: string;
  readonly output: string;
}

/** A step and the output that it had. */
export interface PaperOutcome extends PaperStep {
  readonly exitCode: number;
  readonly actual: string;
}

/**
 * Returns the commands of the `console` blocks of a paper, in order. A command begins with `$ `,
 * and extends to the end of its here-document; its output follows.
 */
export function stepsOf(markdown: string): readonly PaperStep[] {
  return [...markdown.matchAll(/^```console\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => {
    const steps: PaperStep[] = [];
    let rest = block;
    while (rest.startsWith('$ ')) {
      const end = endOfCommand(rest);
      const behind = rest.slice(end);
      const next = /^\$ /m.exec(behind)?.index ?? behind.length;
      steps.push({
        command: rest.slice(2, end).trimEnd(),
        output: behind.slice(0, next).trim(),
      });
      rest = behind.slice(next);
    }
    if (rest.trim() !== '') throw new Error(`A console block begins without a command: ${block}`);
    return steps;
  });
}

/** The text between a heading and the next one of the same level. */
export function sectionOf(markdown: string, heading: string): string {
  const [section] = markdown
    .split(/^(?=## )/m)
    .filter((each) => each.startsWith(`## ${heading}\n`));
  if (section === undefined) throw new Error(`There is no heading "## ${heading}".`);
  return section;
}

/**
 * Returns the start of a command's output: after its lines that end in `\\`, and its here-document.
 */
function endOfCommand(text: string): number {
  const { index = text.length } = /(?<!\\)\n/.exec(text) ?? {};
  const document = /<<'(\w+)'/.exec(text.slice(0, index));
  if (document === null) return index;
  const end = text.indexOf(`\n${document[1]}\n`, index);
  if (end === -1) throw new Error(`A here-document does not end: ${text}`);
  return end + `\n${document[1]}\n`.length;
}

/**
 * Runs the steps in one shell, as a reader would who copies them one after the other. Each
 * replacement is made in commands and outputs alike: addresses and directories of the test replace
 * those of the paper.
 */
export async function runSteps(
  steps: readonly PaperStep[],
  {
    variables,
    replacements,
  }: {
    readonly variables: Readonly<Record<string, string>>;
    readonly replacements: Readonly<Record<string, string>>;
  },
): Promise<readonly PaperOutcome[]> {
  const replace = (text: string): string =>
    Object.entries(replacements).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const own = steps.map(({ command, output }) => ({
    command: replace(command),
    output: replace(output),
  }));
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  const script = [
    // A failure stops the session: the steps behind it would only hide it.
    ...exports,
    withoutNpm,
    ...own.map(
      ({ command }) => `${command}\ncode=$?; printf '\\036%d\\036' $code; [ $code = 0 ] || exit`,
    ),
  ].join('\n');
  const { stdout, stderr } = await shell(`exec </dev/null\n${script}`);
  const parts = stdout.split('\u001e');
  return own.map((step, index) => ({
    ...step,
    exitCode: Number(parts[2 * index + 1] ?? -1),
    actual: `${(parts[2 * index] ?? '').trim()}${parts[2 * index + 1] === '0' ? '' : `\n${stderr}`}`,
  }));
}

/** Reports whether a command succeeded with the output in the paper, where `…` matches any text. */
export function isAsPrinted({ exitCode, output, actual }: PaperOutcome): boolean {
  const pattern = output
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('[^]*');
  return exitCode === 0 && new RegExp(`^${pattern}$`).test(actual);
}
