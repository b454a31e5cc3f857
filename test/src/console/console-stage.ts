import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { type RunningQuire, startQuire } from '@quire/server';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { ensureSite } from '../../../packages/console/scripts/build-site.ts';
import { patience } from '../testkit/until.ts';

const samples = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');

export const adminToken = 'quickstart-admin';
export const analystToken = 'quickstart-analyst';
/** The token of a principal whose queries are in the language of Apache Pinot. */
export const migratorToken = 'quickstart-migrator';

/**
 * The settings of a whole system in a directory, with the tokens of the quickstart and a few of its
 * tables.
 */
function settingsIn(home: string): Record<string, string> {
  return {
    'engine.broker.client.queryPort': '0',
    'controller.port': '0',
    'engine.broker.pagination.protocol': 'file',
    'engine.broker.pagination.file.data.dir': join(home, 'results'),
    // The browser must be able to read the compressed results of buckets.
    'engine.broker.pagination.compression': 'lz4',
    'engine.broker.pagination.temp.dir': join(home, 'temp'),
    'engine.tables.data.dir': join(home, 'tables'),
    'engine.stream.file.dir': join(home, 'streams'),
    'controller.preview.source.paths': join(home, 'inputs'),
    'engine.docs.public': 'true',
    'engine.auth.principal.admin.role': 'admin',
    'engine.auth.principal.admin.token.sha256':
      'a2cd52efc39c534198023f401b2bd3f24404d58964ec81aedfb001810a4b8893',
    'engine.auth.principal.analyst.role': 'query',
    'engine.broker.pagination.file.enableStorageCleaner': 'true',
    'engine.auth.principal.analyst.quota.maxMB': '500',
    'engine.auth.principal.analyst.token.sha256':
      '9e60995b3b8fb825fc55f0659b1ba49e02a89232f4b6a8a2d6182eec46585029',
    'engine.auth.principal.migrator.role': 'query',
    'engine.auth.principal.migrator.dialect': 'pinot',
    'engine.auth.principal.migrator.token.sha256':
      '17dca84fc51c72e6383ca537fb69769917b7a152c937d159a6803089fb9eb24c',
    'engine.table.stocks.path': join(samples, 'stocks.csv'),
    'engine.table.cars.path': join(samples, 'cars.json'),
    'engine.table.readings.path': join(home, 'readings.parquet'),
  };
}

/** A file of a million rows: DuckDB reports its progress in steps of some 100,000 rows. */
function readings(): ArrayBuffer {
  const data = new Int32Array(1_000_000).map((_none, row) => row);
  return parquetWriteBuffer({
    columnData: [{ name: 'n', data, type: 'INT32' }],
    rowGroupSize: 100_000,
  });
}

/** A page of the console, and the messages of the browser while it was open. */
export interface ConsolePage {
  readonly page: Page;
  /** Errors and warnings of the browser's console, violations of the security policy among them. */
  readonly complaints: string[];
  /** Paths of the calls to the server, in their order. */
  readonly calls: string[];
}

export interface PageOptions {
  /** The token of the session at the start; null for none. */
  readonly token?: string | null;
  /** The part of the address after the `#`. */
  readonly place?: string;
}

/** A whole system in this process, and a browser without a window. */
export class ConsoleStage implements AsyncDisposable {
  readonly quire: RunningQuire;
  readonly home: string;
  readonly browser: Browser;

  readonly #context: BrowserContext;
  /** Tabs whose tests have ended. */
  readonly #idlePages: Page[] = [];

  private constructor(
    quire: RunningQuire,
    home: string,
    context: BrowserContext,
    browser: Browser,
  ) {
    this.#context = context;
    this.quire = quire;
    this.home = home;
    this.browser = browser;
  }

  /** @param more settings that are added, or left out where they are null */
  static async open(
    program: string,
    more: Readonly<Record<string, string | null>> = {},
    roles: NonNullable<Parameters<typeof startQuire>[0]>['roles'] = [
      'server',
      'broker',
      'controller',
    ],
  ): Promise<ConsoleStage> {
    await ensureSite(() => undefined);
    const home = await mkdtemp(join(tmpdir(), 'quire-console-'));
    const file = join(home, 'test.properties');
    const lines = Object.entries({ ...settingsIn(home), ...more }).flatMap(([key, value]) =>
      value === null ? [] : [`${key} = ${value}`],
    );
    await writeFile(file, lines.join('\n'));
    await writeFile(join(home, 'readings.parquet'), new Uint8Array(readings()));
    const [quire, browser] = await Promise.all([
      startQuire({ file, roles }),
      chromium.launch({
        executablePath: program,
        // Processes of its own for each tab and for drawing cost a quarter of the time.
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--in-process-gpu',
          '--renderer-process-limit=1',
          '--disable-dev-shm-usage',
        ],
      }),
    ]);
    const permissions = ['clipboard-read', 'clipboard-write'];
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      permissions,
      // A spinner that turns is drawn sixty times a second, without a graphics card.
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(patience.timeout);
    return new ConsoleStage(quire, home, context, browser);
  }

  get url(): string {
    return String(this.quire.addresses.controller?.url);
  }

  /**
   * Opens the console in a tab that no other test uses at the same time. A tab is reused after its
   * test: a new one starts a process and compiles the scripts of the console.
   */
  async visit({ token = adminToken, place = '' }: PageOptions = {}): Promise<
    ConsolePage & AsyncDisposable
  > {
    const page = this.#idlePages.pop() ?? (await this.#openPage());
    const complaints: string[] = [];
    const calls: string[] = [];
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      const { url } = message.location();
      // The file at which a tab rests names no icon, so the browser requests one.
      if (url.endsWith('/favicon.ico')) return;
      // The message of a failed load lacks its address.
      complaints.push(`${message.text()} ${url}`.trim());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => calls.push(request.url().replace(this.url, '')));
    if (token !== null) {
      await page.evaluate((kept) => sessionStorage.setItem('quire.token', kept), token);
    }
    await page.goto(`${this.url}/console/${place === '' ? '' : `#${place}`}`);
    return {
      page,
      complaints,
      calls,
      [Symbol.asyncDispose]: async () => {
        await this.#leave(page);
        assertPolicyHolds(complaints);
      },
    };
  }

  /** Opens a tab at a file of the console that runs nothing, and has its storage. */
  async #openPage(): Promise<Page> {
    const page = await this.#context.newPage();
    await page.goto(this.#restUrl);
    return page;
  }

  /** Resets a tab for the next test. */
  async #leave(page: Page): Promise<void> {
    for (const event of ['console', 'pageerror', 'request', 'dialog'] as const) {
      page.removeAllListeners(event);
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto(this.#restUrl);
    await page.evaluate(() => {
      sessionStorage.clear();
      localStorage.clear();
    });
    this.#idlePages.push(page);
  }

  get #restUrl(): string {
    return `${this.url}/console/about.json`;
  }

  /** Calls the controller, as an admin. */
  async call(path: string, init: RequestInit = {}): Promise<unknown> {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
    const response = await fetch(this.url + path, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return isJson ? JSON.parse(text) : text;
  }

  /** The ids of all stored results, the newest first. */
  async storedIds(): Promise<readonly string[]> {
    const answer = await this.call('/query/resultStore');
    const { resultMetadataList } = answer as {
      readonly resultMetadataList: readonly { readonly requestId: string }[];
    };
    return resultMetadataList.map(({ requestId }) => requestId);
  }

  /** Runs a query as an admin; resolves to the id of its stored result. */
  async store(sql: string): Promise<string> {
    const answer = await this.call('/query/sql?doPaginate=true&numRows=1', {
      method: 'POST',
      body: JSON.stringify({ sql }),
    });
    return (answer as { readonly requestId: string }).requestId;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.quire.close();
    await rm(this.home, { recursive: true, force: true });
  }
}

/** Fails if the page has violated its own security policy. */
function assertPolicyHolds(complaints: readonly string[]): void {
  const violations = complaints.filter((complaint) => /Content.Security.Policy/i.test(complaint));
  if (violations.length > 0) {
    throw new Error(`The page violated its security policy:\n${violations.join('\n')}`);
  }
}

/** Writes a query into the editor and runs it, with keys only; resolves once it has ended. */
export async function runQuery(page: Page, sql: string): Promise<void> {
  await page.locator('.editor .cm-content').focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(sql);
  await page.keyboard.press('Escape'); // completions
  const answer = page.waitForResponse((response) => response.url().includes('/query/sql'));
  await page.keyboard.press('ControlOrMeta+Enter');
  await answer;
  await page.locator('.running').waitFor({ state: 'detached' });
}

/** The text of a cell of the grid, rows and columns counted from 1, once it is shown. */
export async function cellText(page: Page, row: number, column: number): Promise<string> {
  const cell = page.locator(
    `[role=row][aria-rowindex="${row + 1}"] [aria-colindex="${column + 1}"]:not([aria-busy=true])`,
  );
  // A cell has no text until its page is loaded; nulls and empty texts are shown as words.
  try {
    return await cell.filter({ hasText: /./ }).innerText();
  } catch (error) {
    const seen = await page.locator('.result-area').innerText();
    throw new Error(
      `Row ${row}, column ${column} has no text. What is seen instead:\n${seen.slice(0, 2000)}`,
      { cause: error },
    );
  }
}
