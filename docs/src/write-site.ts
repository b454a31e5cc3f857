import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderCalls } from './call-reference.ts';
import { callPages, sectionsOf } from './pages.ts';
import { isFile, readPapers, root } from './papers.ts';
import { addressOfFile, renderPage } from './render-page.ts';

/**
 * Writes the pages of the site, and copies of the files that they link to, into a directory, from
 * which VitePress builds or serves it.
 */
export function writeSite(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  const pages = sectionsOf(readPapers()).flatMap((section) => section.pages);
  const pathOf = new Map(pages.map(({ paper, path }) => [paper, path]));
  const files = new Set<string>();
  const targets = {
    pageOf: (paper: string) => pathOf.get(paper),
    textOf: (path: string) => readFileSync(join(root, path), 'utf8'),
    onFile: (path: string) => void files.add(path),
  };
  for (const { path, paper } of pages) {
    const markdown = readFileSync(join(root, paper), 'utf8');
    write(join(directory, `${path}.md`), renderPage(paper, markdown, targets));
  }
  for (const page of callPages) write(join(directory, `${page.path}.md`), renderCalls(page));
  for (const file of files) copyFile(file, join(directory, 'public', addressOfFile(file)));
}

/** Copies a file; of a folder, the list of its files. */
function copyFile(path: string, target: string): void {
  if (isFile(path)) {
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(root, path), target);
    return;
  }
  const list = execFileSync('git', ['ls-files', path], { cwd: root, encoding: 'utf8' });
  if (list === '') throw new Error(`There is a link to ${path}, which does not exist.`);
  write(target, list);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
