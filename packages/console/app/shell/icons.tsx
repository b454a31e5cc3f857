import type { ReactNode } from 'react';

/** Line drawings on a grid of 16, in the colour of the text beside them. */
const paths = {
  query: 'M2.500 4.500l3 3-3 3M8 11.500h5.500',
  results: 'M2.500 4h11M2.500 8h11M2.500 12h6.500',
  tables: 'M2.500 3h11v10h-11zM2.500 6.500h11M6.500 6.500V13',
  tasks: 'M3 4.500l1.200 1.200L6.500 3.300M3 10.700l1.200 1.200 2.300-2.400M9 5h4.500M9 11h4.500',
  restream: 'M3 8a5 5 0 0 1 8.700-3.400L13 6M13 3v3h-3M13 8a5 5 0 0 1-8.700 3.400L3 10M3 13v-3h3',
  cluster: 'M2.500 3h11v4h-11zM2.500 9h11v4h-11zM5 5h.01M5 11h.01',
  reference: 'M5.500 4L2 8l3.500 4M10.500 4L14 8l-3.500 4',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      <path d={paths[name]} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
