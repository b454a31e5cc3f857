import type { ReactNode } from 'react';
import { QueryPage } from '../query/query-page.tsx';
import type { Place } from '../router.ts';
import type { IconName } from './icons.tsx';

interface Page {
  /** The first segment of its address. */
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly isForAdmins?: boolean;
  readonly render: (place: Place) => ReactNode;
}

/** All pages, in the order of the navigation. */
export const pages: readonly Page[] = [
  { name: 'query', title: 'Query', icon: 'query', render: ({ parameters }) => <QueryPage place={parameters} /> },
];

/** The page of a place; an address that leads nowhere leads to the first. */
export function findPage({ segments: [name] }: Place): Page {
  const [first] = pages as readonly [Page];
  return pages.find((page) => page.name === name) ?? first;
}
