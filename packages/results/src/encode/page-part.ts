/** The position of batches in their page, if others follow or precede them. */
export interface PagePart {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export const wholePage: PagePart = { isFirst: true, isLast: true };
