import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { chromium, describeWithTool, pythonRequests } from '../testkit/toolchain.ts';
import {
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';
import { bundleForBrowsers } from '../testkit/client-bundle.ts';
import { openPage } from '../testkit/open-page.ts';

const examples = join(import.meta.dirname, '../../../examples');

interface NotebookCell {
  readonly cell_type: 'code' | 'markdown';
  readonly source: readonly string[];
  readonly outputs?: readonly {
    readonly text?: readonly string[];
    readonly data?: Readonly<Record<string, readonly string[]>>;
  }[];
}

/** Returns the output of a notebook cell: its prints, and the value of its last line. */
function outputOf({ outputs = [] }: NotebookCell): string {
  return outputs
    .map(({ text, data }) => (text ?? data?.['text/plain'] ?? []).join('').replace(/\n?$/, '\n'))
    .join('');
}

/** Runs cells as a notebook does: in one process, and the value of a cell's last line is shown. */
const runCells = `
import ast, json, sys
scope = {}
for source in json.load(sys.stdin):
    cell = ast.parse(source)
    last = cell.body.pop() if cell.body and isinstance(cell.body[-1], ast.Expr) else None
    exec(compile(cell, "cell", "exec"), scope)
    if last:
        print(repr(eval(compile(ast.Expression(last.value), "cell", "eval"), scope)))
    print("\\0", end="")
`;

describeWithTool(pythonRequests, 'the notebook', (python) => {
  test('the notebook shows below each cell what the cell gives', async () => {
    const { cells } = JSON.parse(await readFile(join(examples, 'notebook.ipynb'), 'utf8')) as {
      cells: readonly NotebookCell[];
    };
    const code = cells.filter((cell) => cell.cell_type === 'code');
    await using directory = await temporaryDirectory();
    const { server, url } = await startServer(['--config', await writeSettings(directory.path)]);
    await using _server = server;
    const sources = code.map(({ source }) =>
      source
        .join('')
        .replace('http://127.0.0.1:8099', url)
        .replace('quickstart-analyst', testVariables.TEST_ADMIN_TOKEN),
    );
    const running = promisify(execFile)(python, ['-c', runCells]);
    running.child.stdin?.end(JSON.stringify(sources));
    const { stdout } = await running;
    expect(stdout.split('\0').slice(0, -1)).toEqual(code.map(outputOf));
  });
});

/** Presses the buttons of the page as a reader would, and returns the shown text after each. */
const reader = `
const shown = [];
const press = [...document.querySelectorAll('button')];
const output = document.querySelector('output');
const steps = [press[0], press[2], press[1]];
const told = () => {
  shown.push([output.value, document.querySelectorAll('td').length, document.querySelector('td')?.textContent]);
  const next = steps.shift();
  if (next === undefined) return fetch('/report?' + encodeURIComponent(JSON.stringify(shown)));
  next.click();
};
new MutationObserver(told).observe(output, { childList: true, characterData: true, subtree: true });
steps.shift().click();
`;

describeWithTool(chromium, 'the page for browsers', (path) => {
  test('the page for browsers runs a query and turns the pages of its result', async ({
    signal,
  }) => {
    const html = await readFile(join(examples, 'browser/index.html'), 'utf8');
    const { code } = await bundleForBrowsers(join(examples, 'browser/page.js'), 'es');
    const script = code.replace('quickstart-analyst', testVariables.TEST_ADMIN_TOKEN);
    await using directory = await temporaryDirectory();
    const { server, url } = await startServer(['--config', await writeSettings(directory.path)]);
    await using _server = server;
    await using origin = await FaultProxy.start(Number(new URL(url).port));
    const report = Promise.withResolvers<unknown>();
    origin.intercept = (request) => {
      const answer = (contentType: string, body: string) =>
        ({
          kind: 'answer',
          status: 200,
          headers: { 'content-type': contentType },
          body,
        }) as const;
      const page = html.replace('</body>', `<script type="module">${reader}</script></body>`);
      if (request.url === '/') return answer('text/html', page);
      if (request.url === '/page.js') return answer('text/javascript', script);
      if (request.url === '/favicon.ico') return answer('image/png', '');
      if (!request.url.startsWith('/report?')) return undefined;
      report.resolve(JSON.parse(decodeURIComponent(request.url.slice('/report?'.length))));
      return answer('text/plain', '');
    };
    await using _page = await openPage(path, `${origin.endpoint}/`, signal);
    expect(await report.promise).toEqual([
      ['rows 1 to 10 of 560', 20, 'GOOG'],
      ['rows 11 to 20 of 560', 20, 'GOOG'],
      ['rows 1 to 10 of 560', 20, 'GOOG'],
    ]);
  });
});
