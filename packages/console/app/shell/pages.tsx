import { lazy, type ReactNode, Suspense } from 'react';
import { QueryPage } from '../query/query-page.tsx';
import { ResultsPage } from '../results/results-page.tsx';
import type { Route } from '../router.ts';
import { TablePage } from '../tables/table-page.tsx';
import { TablesPage } from '../tables/tables-page.tsx';
import { TaskPage } from '../tasks/task-page.tsx';
import { TasksPage } from '../tasks/tasks-page.tsx';
import { Loading } from '../widgets/states.tsx';
import type { IconName } from './icons.tsx';

/** Pages other than the first are loaded on demand. */
const ClusterPage = lazy(async () => ({
  default: (await import('../cluster/cluster-page.tsx')).ClusterPage,
}));
const ReferencePage = lazy(async () => ({
  default: (await import('../reference/reference-page.tsx')).ReferencePage,
}));
const RestreamPage = lazy(async () => ({
  default: (await import('../restream/restream-page.tsx')).RestreamPage,
}));
const PreviewPage = lazy(async () => ({
  default: (await import('../tables/preview-page.tsx')).PreviewPage,
}));

function later(page: ReactNode): ReactNode {
  return <Suspense fallback={<Loading what="the page" />}>{page}</Suspense>;
}

interface Page {
  /** The first segment of its address. */
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly isForAdmins?: boolean;
  readonly render: (place: Route) => ReactNode;
}

/** All pages of the navigation, in its order. */
export const pages: readonly Page[] = [
  {
    name: 'query',
    title: 'Query',
    icon: 'query',
    render: ({ parameters }) => <QueryPage place={parameters} />,
  },
  {
    name: 'results',
    title: 'Results',
    icon: 'results',
    render: () => <ResultsPage />,
  },
  {
    name: 'tables',
    title: 'Tables',
    icon: 'tables',
    render: ({ segments: [, name] }) =>
      name === undefined ? <TablesPage /> : <TablePage key={name} name={name} />,
  },
  {
    name: 'tasks',
    title: 'Tasks',
    icon: 'tasks',
    render: ({ segments: [, name] }) =>
      name === undefined ? <TasksPage /> : <TaskPage key={name} name={name} />,
  },
  {
    name: 'restream',
    title: 'Restream',
    icon: 'restream',
    isForAdmins: true,
    render: ({ parameters }) => later(<RestreamPage table={parameters['table']} />),
  },
  {
    name: 'cluster',
    title: 'Cluster',
    icon: 'cluster',
    isForAdmins: true,
    render: () => later(<ClusterPage />),
  },
  {
    name: 'api',
    title: 'API',
    icon: 'reference',
    render: ({ segments: [, chosen] }) => later(<ReferencePage chosen={chosen} />),
  },
];

const preview: Page = {
  name: 'preview',
  title: 'Preview',
  icon: 'tables',
  render: () => later(<PreviewPage />),
};

/**
 * Returns the page of a route that a role may see, and the page that was `refused`. An unknown
 * address leads to the first page.
 */
export function findPage(
  { segments: [name] }: Route,
  role: 'query' | 'admin',
): { readonly page: Page; readonly refused?: Page } {
  const [first] = pages as readonly [Page];
  const found = [...pages, preview].find((page) => page.name === name) ?? first;
  return found.isForAdmins === true && role !== 'admin'
    ? { page: first, refused: found }
    : { page: found };
}
