/** A page of the site, and the paper of the repository from which it is generated. */
export interface Page {
  /** Its address without the leading slash and the ending: `guides/operate`. */
  readonly path: string;
  /** Its name in the sidebar. */
  readonly title: string;
  /** A Markdown file, from the root of the repository. */
  readonly paper: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
  readonly isCollapsed?: boolean;
}

/** A page that is generated from the operations of `@quire/api`, not from a paper. */
export interface GeneratedPage {
  readonly path: string;
  readonly title: string;
  readonly service: 'broker' | 'proxy' | 'controller';
}

/** The calls of each service; the sidebar has them behind the pages of the reference. */
export const callPages: readonly GeneratedPage[] = [
  { path: 'reference/broker-calls', title: 'Calls of the broker', service: 'broker' },
  { path: 'reference/proxy-calls', title: 'Calls of the proxy', service: 'proxy' },
  { path: 'reference/controller-calls', title: 'Calls of the controller', service: 'controller' },
];

/**
 * The pages of the site in the order of its sidebar. Every Markdown file of the repository is one
 * of them: those that have no line here are found by `pagesOf`.
 */
const sections: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      { path: 'index', title: 'Quire', paper: 'README.md' },
      { path: 'tutorial', title: 'Tutorial', paper: 'docs/tutorial.md' },
    ],
  },
  {
    title: 'Guides',
    pages: [
      { path: 'guides/operate', title: 'Operate it', paper: 'deploy/OPERATE.md' },
      { path: 'guides/cluster', title: 'Run a cluster', paper: 'docs/guides/cluster.md' },
      { path: 'guides/bucket', title: 'Results in a bucket', paper: 'docs/guides/bucket.md' },
      { path: 'guides/pinot', title: 'On your Pinot cluster', paper: 'docs/guides/pinot.md' },
      { path: 'guides/tables', title: 'Tables and streams', paper: 'docs/guides/tables.md' },
      { path: 'guides/embed', title: 'Embed it', paper: 'docs/guides/embed.md' },
      { path: 'guides/tools', title: 'Connect your tools', paper: 'packages/client/CONNECT.md' },
      { path: 'guides/migrate', title: 'Migrate from cursors', paper: 'docs/guides/migrate.md' },
      { path: 'guides/platforms', title: 'Platforms', paper: 'docs/guides/platforms.md' },
      { path: 'guides/examples', title: 'Examples', paper: 'examples/README.md' },
    ],
  },
  {
    title: 'Reference',
    pages: [
      { path: 'reference/settings', title: 'Settings', paper: 'config/README.md' },
      { path: 'reference/command', title: 'The command', paper: 'packages/cli/README.md' },
      { path: 'reference/http', title: 'HTTP: the contract', paper: 'packages/api/CONTRACT.md' },
      { path: 'reference/tables', title: 'HTTP: tables', paper: 'packages/api/TABLES.md' },
      { path: 'reference/format', title: 'Format of results', paper: 'packages/results/FORMAT.md' },
      { path: 'reference/functions', title: 'Functions', paper: 'packages/tables/FUNCTIONS.md' },
      { path: 'reference/rules', title: 'Rules of tables', paper: 'packages/tables/VALIDATION.md' },
      {
        path: 'reference/pinot-sql',
        title: 'SQL of Pinot',
        paper: 'packages/engine-duckdb/PINOT.md',
      },
    ],
  },
  {
    title: 'Architecture',
    pages: [
      { path: 'architecture/map', title: 'The map and the walks', paper: 'packages/README.md' },
      { path: 'architecture/design', title: 'Design', paper: 'packages/DESIGN.md' },
      { path: 'architecture/decisions', title: 'Decisions', paper: 'packages/DECISIONS.md' },
      { path: 'architecture/scale', title: 'Scale', paper: 'packages/SCALE.md' },
      { path: 'architecture/sizes', title: 'Sizes', paper: 'packages/SIZES.md' },
      { path: 'architecture/benchmarks', title: 'Benchmarks', paper: 'bench/README.md' },
      {
        path: 'architecture/measurements',
        title: 'Measurements and profiles',
        paper: 'docs/measurements.md',
      },
    ],
  },
  {
    title: 'Project',
    pages: [
      { path: 'project/contributing', title: 'Contributing', paper: 'CONTRIBUTING.md' },
      { path: 'project/tests', title: 'Tests', paper: 'test/README.md' },
      { path: 'project/security', title: 'Security', paper: 'SECURITY.md' },
      { path: 'project/changelog', title: 'Changelog', paper: 'CHANGELOG.md' },
    ],
  },
];

/**
 * The sections of the site, with the papers of the packages and of the runbooks that the list above
 * does not name: a new package has its page without a line here.
 */
export function sectionsOf(papers: readonly string[]): readonly Section[] {
  const named = new Set(sections.flatMap(({ pages }) => pages.map(({ paper }) => paper)));
  const others = papers.filter((paper) => !named.has(paper)).toSorted();
  const runbooks = others.filter((paper) => paper.startsWith('deploy/runbooks/'));
  const rest = others.filter((paper) => !runbooks.includes(paper));
  return [
    ...sections,
    { title: 'Packages', isCollapsed: true, pages: rest.map(pageOf) },
    { title: 'Runbooks', isCollapsed: true, pages: runbooks.map(pageOf) },
  ];
}

/** `packages/tables/AGREEMENT.md` → `tables/agreement`, `packages/core/README.md` → `core`. */
function pageOf(paper: string): Page {
  const words = paper
    .replace(/\.md$/, '')
    .split('/')
    .filter((word) => word !== 'packages' && word !== 'README');
  const [title = paper] = words.slice(-1);
  return {
    path: ['other', ...words].join('/').toLowerCase(),
    title: paper.endsWith('README.md') ? title : words.slice(-2).join(': '),
    paper,
  };
}
