import type { ReactNode } from 'react';
import { ClusterPage } from '../cluster/cluster-page.tsx';
import { QueryPage } from '../query/query-page.tsx';
import { ReferencePage } from '../reference/reference-page.tsx';
import { RestreamPage } from '../restream/restream-page.tsx';
import { ResultsPage } from '../results/results-page.tsx';
import type { Place } from '../router.ts';
import { PreviewPage } from '../tables/preview-page.tsx';
import { TablePage } from '../tables/table-page.tsx';
import { TablesPage } from '../tables/tables-page.tsx';
import { TaskPage } from '../tasks/task-page.tsx';
import { TasksPage } from '../tasks/tasks-page.tsx';
import type { IconName } from './icons.tsx';

interface Page {
  /** The first segment of its address. */
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly isForAdmins?: boolean;
  readonly render: (place: Place) => ReactNode;
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
    isForAdmins: true,
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
    render: ({ parameters }) => <RestreamPage table={parameters['table']} />,
  },
  {
    name: 'cluster',
    title: 'Cluster',
    icon: 'cluster',
    isForAdmins: true,
    render: () => <ClusterPage />,
  },
  {
    name: 'api',
    title: 'API',
    icon: 'reference',
    render: ({ segments: [, chosen] }) => <ReferencePage chosen={chosen} />,
  },
];

const preview: Page = {
  name: 'preview',
  title: 'Preview',
  icon: 'tables',
  render: () => <PreviewPage />,
};

/**
 * The page of a place that somebody of a role may see, and the one that was `refused` for it; an
 * address that leads nowhere leads to the first.
 */
export function findPage(
  { segments: [name] }: Place,
  role: 'query' | 'admin',
): { readonly page: Page; readonly refused?: Page } {
  const [first] = pages as readonly [Page];
  const found = [...pages, preview].find((page) => page.name === name) ?? first;
  return found.isForAdmins === true && role !== 'admin'
    ? { page: first, refused: found }
    : { page: found };
}
