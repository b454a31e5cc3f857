import { runCommand } from '../../../packages/cli/src/run-command.ts';
import { expect, test } from 'vitest';
import { FakeEnvironment } from '../../../packages/cli/test/fake-environment.ts';
import { repositoryFiles, textOf } from '../repository/repository-files.ts';

const helps = new Map<string, string>();

async function helpOf(path: readonly string[]): Promise<string> {
  const key = path.join(' ');
  const known = helps.get(key);
  if (known !== undefined) return known;
  const environment = new FakeEnvironment();
  expect(await runCommand([...path, '--help'], environment)).toBe(0);
  helps.set(key, environment.stdout.text);
  return environment.stdout.text;
}

/** The command lines of a document: in code spans, and in blocks of code. */
function commandLinesOf(text: string): readonly string[] {
  const blocks = Array.from(text.matchAll(/^```\w*\n(.*?)^```$/gms), ([, block = '']) => block);
  const prose = text.replaceAll(/^```\w*\n.*?^```$/gms, '');
  return [
    ...Array.from(prose.matchAll(/`quire ([^`]+)`/g), ([, line = '']) => line),
    ...blocks.flatMap((block) =>
      Array.from(
        block.matchAll(/^(?:\$ )?(?:quire|npm run -s quire --|npx @quire\/cli) (.*)$/gm),
        ([, line = '']) => line,
      ),
    ),
  ];
}

/** Returns the word of a line that its command does not have; undefined if there is none. */
async function unknownIn(line: string): Promise<string | undefined> {
  const [own = ''] = line.replaceAll(/"[^"]*"|'[^']*'/g, 'text').split(/[|>#;]| 2>| … /);
  const words = own.trim().split(/\s+/);
  const path: string[] = [];
  for (const word of words) {
    const [, list] = (await helpOf(path)).split('Commands:\n');
    if (list === undefined || word.startsWith('-')) break;
    const names = Array.from(list.matchAll(/^ {2}([a-z]+)\b/gm), ([, name = '']) => name);
    const standard = /^ {2}([a-z]+) .*\(the default subcommand\)/m.exec(list)?.[1];
    const next = names.includes(word) ? word : standard;
    if (next === undefined) return word;
    path.push(next);
    if (next !== word) break;
  }
  const help = await helpOf(path);
  return words.filter((word) => /^--[a-z]/.test(word)).find((word) => !help.includes(word));
}

test('each command and option that a document names exists', async () => {
  const lines = repositoryFiles()
    .filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md')
    .flatMap((path) => commandLinesOf(textOf(path)).map((line) => ({ path, line })));
  const unknown: string[] = [];
  for (const { path, line } of lines) {
    const word = await unknownIn(line);
    if (word !== undefined) unknown.push(`${path}: quire ${line} has ${word}`);
  }
  expect(unknown).toEqual([]);
  expect(lines.length).toBeGreaterThan(50);
});

test('a command or an option that does not exist would be found', async () => {
  const lines = ['tables consumption <table>', 'tasks show x --everything', 'tabels list'];
  expect(await Promise.all(lines.map(unknownIn))).toEqual([
    'consumption',
    '--everything',
    'tabels',
  ]);
  const valid = ['tables restream a_REALTIME --to b_REALTIME', "query 'SELECT 1 --x' --json"];
  expect(await Promise.all(valid.map(unknownIn))).toEqual([undefined, undefined]);
});
